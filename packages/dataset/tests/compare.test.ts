import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex } from '@wattfeed/base'
import fc from 'fast-check'
import { joinEntries, splitEntries } from '../src/bytes.ts'
import {
  compareSides,
  DifferenceTooLargeError,
  isRequestFault,
  type LeafDifference,
  type Side,
  sideLimits,
  sideOfFiles,
} from '../src/compare/index.ts'
import { RANGE_BYTES } from '../src/compare/keyRange.ts'
import { folderFiles } from '../src/disk/index.ts'
import { DatasetError } from '../src/errors.ts'
import { decodeKey, encodeKey, encodeLeaf, type Leaf } from '../src/leaf.ts'
import { hashLeaf } from '../src/merkleTree.ts'
import { snapshotOf, sorted } from './snapshotOf.ts'

const leafOf = (y: number, period: number, value: string | null, unit: string | null = 'u'): Leaf => ({
  ...{ route: 'r', frequency: 'f', column: 'c', facets: { y: `Y${String(y).padStart(4, '0')}` } },
  ...{ period: String(1_000 + period), value, unit },
})

const table = (series: number, periods: number): Leaf[] =>
  Array.from({ length: series * periods }, (_, at) =>
    leafOf(Math.floor(at / periods), at % periods, `${at * 7}`),
  )

const nameOf = (leaf: Leaf) => encodeHex(encodeKey(leaf))

/** Compares by looking at all leaves. */
function expectedOf(own: readonly Leaf[], other: readonly Leaf[]): LeafDifference[] {
  const others = new Map(other.map((leaf) => [nameOf(leaf), leaf]))
  const mine = new Map(own.map((leaf) => [nameOf(leaf), leaf]))
  const all = new Map([...mine, ...others])
  return sorted([...all.values()])
    .map((leaf) => ({
      key: decodeKey(encodeKey(leaf)),
      ...{ own: mine.get(nameOf(leaf)) ?? null, other: others.get(nameOf(leaf)) ?? null },
    }))
    .filter(({ own: left, other: right }) => {
      const [one, two] = [left, right].map((leaf) => leaf && encodeHex(encodeLeaf(leaf)))
      return one !== two
    })
}

const countsOf = (differences: readonly LeafDifference[]) => ({
  changed: differences.filter(({ own, other }) => own !== null && other !== null).length,
  onlyOwn: differences.filter(({ other }) => other === null).length,
  onlyOther: differences.filter(({ own }) => own === null).length,
})

/** Opens leaves as a side, from files that are removed at the end. */
async function openSide(leaves: readonly Leaf[], name: string, options?: { isSorted: boolean }) {
  const written = await snapshotOf(leaves, options)
  const side = await sideOfFiles(folderFiles(written.path), written.manifest, { name })
  return { ...side, [Symbol.dispose]: () => written[Symbol.dispose]() }
}

/** Counts the ranges and leaves that a side is asked for. */
function counting(side: Side) {
  const asked = { requests: 0, bytes: 0, leaves: 0 }
  const count = async (answer: Promise<Uint8Array>, leaves = 0) => {
    const bytes = await answer
    asked.requests += 1
    asked.bytes += bytes.length
    asked.leaves += leaves
    return bytes
  }
  return {
    ...{ ...side, asked },
    digestsOf: (level: number, runs: Parameters<Side['digestsOf']>[1]) => count(side.digestsOf(level, runs)),
    leavesOf: (indices: readonly number[]) => count(side.leavesOf(indices), indices.length),
  }
}

const change = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('remove', 'insert', 'value', 'unit', 'withhold'),
})

function changed(leaves: readonly Leaf[], changes: readonly { at: number; kind: string }[]): Leaf[] {
  const found = new Map(leaves.map((leaf) => [nameOf(leaf), leaf]))
  for (const { at, kind } of changes) {
    const leaf = leaves[at % leaves.length]
    if (leaf === undefined) continue
    if (kind === 'remove' && found.size > 1) found.delete(nameOf(leaf))
    const inserted = { ...leaf, facets: { y: `${leaf.facets.y}${at % 3}` } }
    if (kind === 'insert') found.set(nameOf(inserted), inserted)
    if (kind === 'value') found.set(nameOf(leaf), { ...leaf, value: `${at}.5` })
    if (kind === 'unit') found.set(nameOf(leaf), { ...leaf, unit: null })
    if (kind === 'withhold') found.set(nameOf(leaf), { ...leaf, value: null })
  }
  return [...found.values()]
}

async function expectSame(own: readonly Leaf[], other: readonly Leaf[], maxListed = Number.MAX_SAFE_INTEGER) {
  using left = await openSide(own, 'the first')
  using right = await openSide(other, 'the second')
  const all = expectedOf(own, other)
  expect(await compareSides(left, right, { maxListed })).toEqual({
    ...countsOf(all),
    first: all.slice(0, maxListed),
  })
}

describe('compareSides', () => {
  test('default: random changes give what a look at all leaves gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(change, { maxLength: 60 }),
        async (series, periods, changes) => {
          const own = table(series, periods)
          await expectSame(own, changed(own, changes))
        },
      ),
      { numRuns: 25 },
    )
  })

  test('default: two snapshots that have little in common, and ones of a few leaves', async () => {
    const leaves = fc.uniqueArray(
      fc.record({ y: fc.nat(12), period: fc.nat(60), value: fc.constantFrom('1', '2', null) }),
      { minLength: 1, maxLength: 400, selector: ({ y, period }) => 100 * y + period },
    )
    await fc.assert(
      fc.asyncProperty(leaves, leaves, fc.nat(20), async (own, other, maxListed) => {
        const [left, right] = [own, other].map((all) =>
          all.map(({ y, period, value }) => leafOf(y, period, value)),
        )
        await expectSame(left ?? [], right ?? [], maxListed)
      }),
      { numRuns: 25 },
    )
  })

  test.each([
    ['a new period in every series', table(200, 30), table(200, 31)],
    ['every value is another', table(20, 100), table(20, 100).map((leaf) => ({ ...leaf, value: 'x' }))],
    ['nothing', table(40, 50), table(40, 50)],
    ['one leaf against many', [leafOf(3, 3, '1')], table(100, 60)],
    ['many against one that they do not have', table(100, 60), [leafOf(3, 300, '1')]],
  ])('default: %s', async (_, own, other) => {
    await expectSame(own, other, 10)
  })

  test('behavior: an inserted leaf shifts no range: little is asked for', async () => {
    const leaves = table(400, 50)
    using left = await openSide(leaves, 'the first')
    using right = await openSide([leafOf(0, 999, '1'), ...leaves], 'the second')
    const other = counting(right)
    expect(await compareSides(left, other, { maxListed: 9 })).toMatchObject({ onlyOther: 1, changed: 0 })
    expect(other.asked).toMatchObject({ requests: 6, leaves: 1 })
    // All 20,000 hashes have 640,000 bytes.
    expect(other.asked.bytes).toBeLessThan(16_000)
  })

  test('behavior: of two snapshots with one root, nothing is asked for', async () => {
    using side = await openSide(table(2, 2), 'the first')
    const other = counting(side)
    expect(await compareSides(side, other, { maxListed: 9 })).toEqual({
      ...{ changed: 0, onlyOwn: 0, onlyOther: 0, first: [] },
    })
    expect(other.asked.requests).toBe(0)
  })

  test('error: more differs than may, before any leaf is asked for', async () => {
    using left = await openSide(table(40, 50), 'the first')
    using right = await openSide(
      table(40, 50).map((leaf) => ({ ...leaf, value: '1' })),
      'the second',
    )
    const [own, other] = [counting(left), counting(right)]
    const error = await compareSides(own, other, { maxListed: 9, maxDiffering: 50 }).catch((each) => each)
    expect(error).toBeInstanceOf(DifferenceTooLargeError)
    expect(error).toMatchObject({ code: 'difference_too_large', max: 50 })
    expect([own.asked.leaves, other.asked.leaves]).toEqual([0, 0])
    expect(other.asked.requests).toBeLessThanOrEqual(4)
    const all = compareSides(own, other, { maxListed: 9, maxDiffering: 2_000 })
    expect(await all).toMatchObject({ changed: 2_000 })
  })
})

/** A side of so many leaves, each of whose hashes starts a range of every level. Counts the tiles that it reads. */
async function sideOfZeros(size: number) {
  using written = await snapshotOf([leafOf(1, 1, '1')])
  let count = 0
  const read = async (_: string, bytes: number) => {
    count += 1
    return new Uint8Array(bytes)
  }
  const side = await sideOfFiles({ read }, { ...written.manifest, size }, { name: 'zeros' })
  return { side, reads: () => count }
}

type Lie = (bytes: Uint8Array, level: number | 'leaves') => Uint8Array

const lying = (side: Side, lie: Lie): Side => ({
  ...side,
  digestsOf: async (level, runs) => lie(await side.digestsOf(level, runs), level),
  leavesOf: async (indices) => lie(await side.leavesOf(indices), 'leaves'),
})

const at =
  (wanted: number | 'leaves', change: (bytes: Uint8Array) => Uint8Array): Lie =>
  (bytes, level) =>
    level === wanted ? change(bytes) : bytes

const withCount = (count: number) => (bytes: Uint8Array) => {
  new DataView(bytes.buffer).setUint32(0, count)
  return bytes
}

const entries = (change: (leaves: Uint8Array[]) => Uint8Array[]) => (bytes: Uint8Array) =>
  joinEntries(change(splitEntries(bytes) ?? []))

const own = table(100, 40)
const other = own.map((leaf, index) => (index % 1_000 === 7 ? { ...leaf, value: 'x' } : leaf))

describe('compareSides with a hostile side', () => {
  test.each<[string, Lie, string]>([
    ['cut', at(2, (bytes) => bytes.subarray(1)), 'its ranges of level 2: are cut'],
    ['too few', at(1, (bytes) => bytes.subarray(RANGE_BYTES)), 'its ranges of level 1'],
    ['none', at(3, () => new Uint8Array()), 'its ranges of level 3: end before leaf'],
    [
      'too many',
      at(0, (bytes) => Buffer.concat([bytes, bytes.subarray(0, RANGE_BYTES)])),
      'its ranges of level 0: are more than were asked for',
    ],
    [
      'oversized',
      at(4, () => new Uint8Array(sideLimits.digestBytes + RANGE_BYTES)),
      `its ranges of level 4: have more than ${sideLimits.digestBytes} bytes`,
    ],
    ['empty range', at(2, withCount(0)), 'its ranges of level 2: have one of 0 leaves at leaf'],
    [
      'too long range',
      at(4, withCount(5_000)),
      'its ranges of level 4: have one of 5000 leaves at leaf 0, in a range that ends',
    ],
    ['wide leaf', at(0, withCount(2)), 'its ranges of level 0: have one of 2 leaves'],
    [
      'in another order',
      at(1, (bytes) => Buffer.concat([bytes.subarray(RANGE_BYTES), bytes.subarray(0, RANGE_BYTES)])),
      'its ranges of level 1',
    ],
    [
      'other leaves',
      at(
        'leaves',
        entries((leaves) => leaves.toReversed()),
      ),
      'leaf 7: does not have the hash',
    ],
    [
      'a leaf too many',
      at(
        'leaves',
        entries((leaves) => [...leaves, ...leaves]),
      ),
      'its leaves: are not the 4',
    ],
    ['cut leaves', at('leaves', (bytes) => bytes.subarray(0, -1)), 'its leaves: are not the 4'],
    [
      'oversized leaves',
      at('leaves', () => new Uint8Array(sideLimits.leafBytes + 1)),
      'its leaves: have more than',
    ],
  ])('error: %s', async (_, lie, words) => {
    using left = await openSide(own, 'own')
    using right = await openSide(other, 'the liar')
    const error = await compareSides(left, lying(right, lie), { maxListed: 9 }).catch((each) => each)
    expect(error).toBeInstanceOf(DatasetError)
    expect(error.message).toContain(`the liar: ${words}`)
  })

  test('error: any byte of any answer that is another', async () => {
    using left = await openSide(own, 'own')
    using right = await openSide(other, 'the liar')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 1, 2, 3, 4, 'leaves' as const),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (wanted, place, flip) => {
          const change = (bytes: Uint8Array) =>
            bytes.with(place % bytes.length, (bytes[place % bytes.length] ?? 0) ^ flip)
          const compared = compareSides(left, lying(right, at(wanted, change)), { maxListed: 9 })
          await expect(compared).rejects.toThrow(/^the liar: /)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('error: leaves that are not sorted, also if all hashes are right', async () => {
    using left = await openSide(own, 'own')
    using right = await openSide(other.toReversed(), 'the liar', { isSorted: false })
    await expect(compareSides(left, right, { maxListed: 9 })).rejects.toThrow(
      /^the liar: leaf \d+: its key is not after/,
    )
  })

  test('error: another root or size than its ranges have', async () => {
    using left = await openSide(own, 'own')
    const root = 'ab'.repeat(32)
    await expect(compareSides(left, { ...left, name: 'it', root }, { maxListed: 9 })).rejects.toThrow(
      'it: has another root than own, but no leaf differs',
    )
    using twice = await openSide([...other.slice(0, 2_001), ...other.slice(2_000)], 'it')
    await expect(compareSides(left, twice, { maxListed: 9 })).rejects.toThrow(
      'it: has 4001 leaves by its manifest, and 4000 by its ranges',
    )
  })
})

describe('sideOfFiles', () => {
  test('default: a range starts where a hash ends with zeros, and its digest is over those below', async () => {
    using side = await openSide(own, 'own')
    const all = [{ first: 0, past: own.length }]
    let below = sorted(own).map((leaf) => ({ hash: hashLeaf(encodeLeaf(leaf)), count: 1 }))
    let digests = below.map(({ hash }) => hash)
    for (let level = 1; level <= 4; level++) {
      const groups: { hash: Uint8Array; count: number; digests: Uint8Array[] }[] = []
      for (const [index, { hash, count }] of below.entries()) {
        const digest = digests[index] ?? new Uint8Array()
        const last = groups.at(-1)
        if (last === undefined || encodeHex(hash).endsWith('0'.repeat(level)))
          groups.push({ hash, count, digests: [digest] })
        else {
          last.count += count
          last.digests.push(digest)
        }
      }
      digests = groups.map((group) => sha256(Buffer.concat(group.digests)))
      below = groups
      const answer = groups.map(({ count }, at) => {
        const length = Buffer.alloc(4)
        length.writeUInt32BE(count)
        return Buffer.concat([length, digests[at] ?? length])
      })
      expect([level, await side.digestsOf(level, all)]).toEqual([
        level,
        new Uint8Array(Buffer.concat(answer)),
      ])
    }
  })

  test.each<[string, number, { first: number; past: number }[], string]>([
    ['a level that is too high', 5, [{ first: 0, past: 1 }], 'names level 5 of 4'],
    ['a level that is no number', Number.NaN, [{ first: 0, past: 1 }], 'names level NaN'],
    ['too many', 0, Array(1_025).fill({ first: 0, past: 1 }), 'names more than 1024 ranges'],
    ['past the end', 0, [{ first: 0, past: 4_001 }], 'names the range from 0 to 4001, of 4000 leaves'],
    ['empty', 0, [{ first: 5, past: 5 }], 'names the range from 5 to 5'],
    ['negative', 0, [{ first: -1, past: 5 }], 'names the range from -1 to 5'],
    ['a fraction', 0, [{ first: 0.5, past: 5.5 }], 'names the range from 0.5 to 5.5'],
    [
      'none of its ranges',
      2,
      [{ first: 1, past: 4_000 }],
      'names the range from 1 to 4000, which the snapshot does not have',
    ],
    [
      'an end of none of its ranges',
      3,
      [{ first: 0, past: 3_999 }],
      'names the range from 0 to 3999, which the snapshot does not have',
    ],
    [
      'all leaves often',
      1,
      Array(300).fill({ first: 0, past: 4_000 }),
      'names 1200000 leaves, and at most 1048576 are read at once',
    ],
    ['all hashes often', 0, Array(20).fill({ first: 0, past: 4_000 }), 'has too many ranges'],
  ])('error: a request with %s', async (_, level, runs, words) => {
    using side = await openSide(own, 'own')
    await expect(side.digestsOf(level, runs)).rejects.toThrow(`the request: ${words}`)
  })

  test('error: more ranges than fit into an answer; no more is read than is needed to see it', async () => {
    const max = sideLimits.digestBytes / RANGE_BYTES
    const ask = async (size: number) => {
      const { side, reads } = await sideOfZeros(size)
      const answers: unknown[] = []
      for (const level of [0, 1, 2]) {
        const before = reads()
        const answer = await side.digestsOf(level, [{ first: 0, past: size }]).catch((each) => each)
        answers.push([answer instanceof Uint8Array ? answer.length : answer.message, reads() - before])
      }
      return answers
    }
    const tiles = max / 256
    expect(await ask(max)).toEqual([tiles, tiles, 0].map((reads) => [sideLimits.digestBytes, reads]))
    const refused = [tiles + 1, tiles + 1, 0].map((reads) => ['the request: has too many ranges', reads])
    expect(await ask(max + 1)).toEqual(refused)
    expect(await ask(max + 1_000)).toEqual(refused)
  })

  test('behavior: a refused request is told from files that are broken', async () => {
    using written = await snapshotOf(own)
    const files = folderFiles(written.path)
    const side = await sideOfFiles(files, written.manifest, { name: 'own' })
    const refused = await side.leavesOf([4_000]).catch((each) => each)
    rmSync(written.path, { recursive: true })
    const broken = await side.leavesOf([0]).catch((each) => each)
    expect([isRequestFault(refused), isRequestFault(broken)]).toEqual([true, false])
    expect(broken).toBeInstanceOf(DatasetError)
  })

  test('error: a request for leaves that do not exist, or too many', async () => {
    using side = await openSide(own, 'own')
    await expect(side.leavesOf([0, 4_000])).rejects.toThrow('the request: names leaf 4000 of 4000')
    await expect(side.leavesOf(Array(1_025).fill(0))).rejects.toThrow('names more than 1024 leaves')
  })
})
