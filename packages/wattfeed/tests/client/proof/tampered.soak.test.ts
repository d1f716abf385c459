import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { FUZZ_RUNS } from '@wattfeed/testing/fuzzRuns'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { sampled } from '@wattfeed/testing/soak'
import fc from 'fast-check'
import type { FeedProof, FeedProofCheck, FeedProofTrust } from 'wattfeed'
import { verifyFeedProof } from '../../../src/client/verifyFeedProof.ts'
import { changed, leavesOf, type Path, valueAt, without, withValue } from '../../support/jsonLeaves.ts'
import { brokenLink, createProvenFeed, type ProvenFeed } from '../../support/provenFeed.ts'

const SEED = seedOf({ name: 'FUZZ_SEED', file: 'packages/wattfeed/tests/client/proof/tampered' })

setDefaultTimeout(Math.max(300_000, FUZZ_RUNS * 40))

let feed: ProvenFeed

beforeAll(async () => {
  feed = await createProvenFeed()
})

/** The verdict on a proof: the link that broke, `unreadable`, or `proven`. Any other error fails the test. */
async function verdictOf(json: unknown, trust: FeedProofTrust = feed.trust): Promise<string> {
  let check: FeedProofCheck
  try {
    check = await verifyFeedProof(json, trust)
  } catch (error) {
    if (error instanceof DecodeError) return 'unreadable'
    throw error
  }
  const broken = brokenLink(check)
  // Whatever the change, a proven result equals the original one.
  if (broken === null) expect(check.reading).toEqual(feed.reading)
  return broken ?? 'proven'
}

/** The parts that the proof does not need: the trusted block's signatures, and those beyond two thirds of the weight. */
function isSpare([part, index, name, ...rest]: Path): boolean {
  if (part === 'switch_blocks') return name === 'proofs' && (index === 0 || isLightest(index, rest[0]))
  return part === 'block' && index === 'proofs' && isLightest(null, name)
}

/** Returns whether a signature is from the lightest of the three validators, which the proof does not need. */
function isLightest(switchBlock: unknown, index: unknown): boolean {
  const block = switchBlock === null ? ['block'] : ['switch_blocks', Number(switchBlock)]
  const signer = valueAt(feed.proof, [...block, 'proofs', Number(index), 'public_key'])
  const end = valueAt(feed.proof, ['switch_blocks', 0, 'header', 'era_end'])
  const weights: { validator: string; weight: string }[] = Object(end).next_era_validator_weights
  const [lightest] = weights.toSorted((a, b) => (BigInt(a.weight) < BigInt(b.weight) ? -1 : 1))
  return signer === lightest?.validator
}

/** Returns whether a replacement changes nothing, because a proof also contains empty lists and objects. */
const saysTheSame = (value: unknown, replacement: unknown): boolean =>
  JSON.stringify(value) === JSON.stringify(replacement)

const replacements: unknown[] = [null, true, 0, -1, '', 'x', [], {}, { toString: 1, valueOf: 1 }, [[[]]]]

describe('every value of a proof', () => {
  test('default: there are many, of every part', () => {
    const leaves = leavesOf(feed.proof)
    expect(leaves.length).toBeGreaterThan(300)
    expect(new Set(leaves.map(([[part]]) => part))).toEqual(
      new Set(['format', 'reading', 'count', 'registries', 'items', 'block', 'switch_blocks']),
    )
    expect(leaves.filter(([path]) => isSpare(path))).toHaveLength(2 * (3 + 1 + 1 + 1))
  })

  test('error: changed a little', async () => {
    const passed: Path[] = []
    for (const [path, value] of leavesOf(feed.proof)) {
      const verdict = await verdictOf(withValue(feed.proof, path, changed(value)))
      if ((verdict === 'proven') !== isSpare(path)) passed.push(path)
    }
    // The field that names the signer must be a key.
    expect(passed.filter((path) => !isSpare(path) || path.at(-1) === 'signature')).toEqual([])
  })

  test('error: left out', async () => {
    const passed: Path[] = []
    for (const [path, value] of leavesOf(feed.proof))
      if (!isSpare(path) && value !== null && (await verdictOf(without(feed.proof, path))) === 'proven')
        passed.push(path)
    expect(passed).toEqual([])
  })

  test('error: replaced by something else', async () => {
    const passed: Path[] = []
    const replaced = leavesOf(feed.proof).flatMap(([path, value]) =>
      replacements.map((replacement) => ({ path, value, replacement })),
    )
    // Every leaf gets a different third of the ten replacements.
    for (const { path, value, replacement } of sampled(replaced)) {
      if (isSpare(path) || saysTheSame(value, replacement)) continue
      if ((await verdictOf(withValue(feed.proof, path, replacement))) === 'proven') passed.push(path)
    }
    expect(passed).toEqual([])
  })
})

describe('every part of a proof', () => {
  /** The paths to all lists and objects. */
  const partsOf = (value: unknown, path: Path = []): Path[] =>
    typeof value !== 'object' || value === null
      ? []
      : [path, ...Object.entries(value).flatMap(([name, item]) => partsOf(item, [...path, name]))]

  test('error: a list with an item less, one twice, or in reverse', async () => {
    const passed: Path[] = []
    for (const path of partsOf(feed.proof)) {
      const list = valueAt(feed.proof, path)
      if (!Array.isArray(list) || list.length === 0 || path.includes('proofs')) continue
      const copies = [list.slice(1), list.slice(0, -1), [...list, list.at(-1)], list.toReversed()]
      for (const copy of copies)
        if (!Bun.deepEquals(copy, list) && (await verdictOf(withValue(feed.proof, path, copy))) === 'proven')
          passed.push(path)
    }
    expect(passed).toEqual([])
  })

  test('error: any two parts of one kind swapped', async () => {
    const random = createRandom(SEED)
    const parts = [
      ...partsOf(feed.proof).filter((path) => path.length > 0),
      ...leavesOf(feed.proof).map(([path]) => path),
    ]
    let swaps = 0
    for (const one of parts) {
      const same = parts.filter((path) => path.at(-1) === one.at(-1))
      const other = same[Math.floor(random() * same.length)] ?? one
      if (isSpare(one) || isSpare(other) || startsWith(one, other) || startsWith(other, one)) continue
      const [here, there] = [valueAt(feed.proof, one), valueAt(feed.proof, other)]
      if (Bun.deepEquals(here, there) || one.at(-1) === 'proofs' || other.at(-1) === 'proofs') continue
      if (one.includes('proofs') && other.includes('proofs')) continue
      const swapped = withValue(withValue(feed.proof, one, there), other, here)
      expect([one, other, await verdictOf(swapped)]).not.toEqual([one, other, 'proven'])
      swaps += 1
    }
    expect(swaps).toBeGreaterThan(200)
  })

  const startsWith = (path: Path, start: Path): boolean => start.every((name, index) => path[index] === name)
})

describe('any change of its bytes', () => {
  const utf8 = new TextEncoder()

  test('error: one byte of a Merkle proof', async () => {
    const random = createRandom(SEED + 1)
    for (let round = 0; round < FUZZ_RUNS; round++) {
      const index = round % 6
      const { merkle_proof = '' } = feed.proof.items[index] ?? {}
      const bytes = Buffer.from(merkle_proof, 'hex')
      const at = Math.floor(random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255))
      const flipped = withValue(feed.proof, ['items', index, 'merkle_proof'], bytes.toString('hex'))
      expect(await verdictOf(flipped)).toMatch(/Registry (package|contract|feeds|latest)/)
    }
  })

  test('error: one byte of its text: it proves the same, or nothing', async () => {
    const random = createRandom(SEED + 2)
    const text = utf8.encode(JSON.stringify(feed.proof))
    const verdicts = new Map<string, number>()
    const rounds = Math.max(1_000, 2 * FUZZ_RUNS)
    for (let round = 0; round < rounds; round++) {
      // Positions over the whole text, so that a few rounds cover each part.
      const at = Math.floor(((round + random()) / rounds) * text.length)
      const bytes = text.slice()
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 7))
      const json = parse(new TextDecoder().decode(bytes))
      const verdict = json === undefined ? 'no JSON' : await verdictOf(json)
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
    }
    expect(verdicts.get('reading') ?? 0).toBeGreaterThan(0)
    expect(verdicts.get('no JSON') ?? 0).toBeGreaterThan(0)
    // Hex digits in upper case, and the parts that the proof does not need.
    expect(verdicts.get('proven') ?? 0).toBeLessThan(rounds / 3)
  })

  function parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
})

describe('any JSON', () => {
  test('error: is unreadable, and does nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (json) => {
        expect(await verdictOf(json)).toBe('unreadable')
      }),
      { numRuns: 500 },
    )
  })

  test('error: of the shape of a proof', async () => {
    const anyText = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{64}$/))
    const anyBlock = fc.record({
      header: fc.dictionary(fc.string(), fc.jsonValue()),
      hash: anyText,
      proofs: fc.array(fc.jsonValue()),
    })
    const anyProof = fc.record({
      reading: fc.record({ feed_id: fc.string() }),
      registries: fc.constant(feed.proof.registries),
      items: fc.array(
        fc.record({ registry: anyText, key: anyText, stored_value: fc.jsonValue(), merkle_proof: anyText }),
      ),
      block: fc.oneof(anyBlock, fc.constant(feed.proof.block)),
      switch_blocks: fc.oneof(fc.array(anyBlock), fc.constant(feed.proof.switch_blocks)),
    })
    await fc.assert(
      fc.asyncProperty(anyProof, async (proof) => {
        expect(await verdictOf(JSON.parse(JSON.stringify(proof)))).not.toBe('proven')
      }),
      { numRuns: 500 },
    )
  })

  test('error: a change at any place of a proof: no crash, and no other value is proven', async () => {
    const paths = allPaths(feed.proof)
    const awkward = fc.constantFrom<unknown>(
      JSON.parse('{"toString":1,"valueOf":2}'),
      JSON.parse('{"__proto__":{"hash":"00"}}'),
      JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
      { length: -1 },
      { length: 2 ** 53 },
      '\ud800',
      '9'.repeat(5_000),
      -0,
      1e308,
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.oneof(awkward, fc.jsonValue()), async (path, value) => {
        const verdict = await verdictOf(path.length === 0 ? value : withValue(feed.proof, path, value))
        if (verdict !== 'proven') return
        // As JSON: -0 is written as 0.
        const isSame = JSON.stringify(value) === JSON.stringify(valueAt(feed.proof, path))
        expect(isSame || path.includes('proofs')).toBeTrue()
      }),
      { numRuns: FUZZ_RUNS },
    )
  })

  const allPaths = (value: unknown, path: Path = []): Path[] =>
    typeof value !== 'object' || value === null
      ? [path]
      : [path, ...Object.entries(value).flatMap(([name, item]) => allPaths(item, [...path, name]))]
})

test('behavior: the served proof is not modified', async () => {
  const copy: FeedProof = structuredClone(feed.proof)
  await verdictOf(copy)
  expect(copy).toEqual(feed.proof)
})
