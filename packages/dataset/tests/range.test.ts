import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { folderFiles } from '../src/disk/index.ts'
import type { Leaf } from '../src/leaf.ts'
import { checkRange, checkRun, type RangeEvidence, type RangeLeaf } from '../src/range.ts'
import { readRange } from '../src/readRange.ts'
import type { SeriesRange } from '../src/seriesRange.ts'
import { openSnapshot } from '../src/snapshot.ts'
import { snapshotOf, sorted, type WrittenSnapshot } from './snapshotOf.ts'
import { expectedOf, liesAbout } from './support/rangeCases.ts'

const seriesOf = ({ route, frequency, column, facets }: Leaf) => ({ route, frequency, column, facets })

const wholeOf = (leaf: Leaf): SeriesRange => ({
  ...seriesOf(leaf),
  period_from: null,
  period_to: null,
  order: 'asc',
  limit: null,
})

const LETTERS = ['a', 'ab', 'b', 'z', 'é'] as const
const letter = fc.constantFrom(...LETTERS)
/** Few series, so that most have several values. */
const anyKey = fc.record({
  x: fc.constantFrom(null, 'a'),
  y: fc.constantFrom('a', 'ab'),
  period: letter,
})
const leafOf = ({ x, y, period }: { x: string | null; y: string; period: string }): Leaf => ({
  ...{ route: 'r', frequency: 'f', column: 'c', facets: { x, y }, period },
  ...{ value: period === 'b' ? null : '1', unit: period === 'z' ? null : 'u' },
})
const anyRange = fc
  .record({
    key: anyKey,
    bounds: fc.tuple(fc.option(letter), fc.option(letter)),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.option(fc.integer({ min: 1, max: 6 })),
  })
  .map(({ key, bounds: [one, other], order, limit }): SeriesRange => {
    const isInOrder = one === null || other === null || LETTERS.indexOf(one) <= LETTERS.indexOf(other)
    const [period_from, period_to] = isInOrder ? [one, other] : [other, one]
    return { ...seriesOf(leafOf(key)), period_from, period_to, order, limit }
  })

/** The periods of every run of a tree that is proven to be a range. */
async function provable({ snapshot, tree }: WrittenSnapshot, range: SeriesRange): Promise<string[][]> {
  const all = await Promise.all(Array.from({ length: tree.size }, (_, at) => snapshot.leafAt(at)))
  const proofs = await Promise.all(all.map((_, at) => snapshot.prove(at)))
  const textAt = (at: number) => proofs[at]?.leaf ?? null
  const found: string[][] = []
  for (let first = 0; first <= tree.size; first++)
    for (let past = first; past <= tree.size; past++) {
      const shown = { first: Math.max(0, first - 1), past: Math.min(tree.size, past + 1) }
      const { hashes } = await snapshot.proveRun(shown)
      const leaves = all.slice(first, past).map(({ period, value, unit }): RangeLeaf => [period, value, unit])
      const evidence: RangeEvidence = {
        ...{ index: first, before: textAt(first - 1), leaves, after: textAt(past) },
        hashes: hashes.map((hash) => hash.toHex()),
      }
      if (isProven(evidence, range, tree)) found.push(leaves.map(([period]) => period))
    }
  return found
}

function isProven(evidence: RangeEvidence, range: SeriesRange, tree: WrittenSnapshot['tree']): boolean {
  try {
    checkRange(checkRun(evidence, range, tree), range)
    return true
  } catch {
    return false
  }
}

const keysOf = (minLength: number) =>
  fc.uniqueArray(anyKey, { minLength, maxLength: 12, selector: (key) => JSON.stringify(key) })

describe('readRange', () => {
  test('default: what is read is right, and nothing else can be proven', async () => {
    await fc.assert(
      fc.asyncProperty(keysOf(1), anyRange, async (known, range) => {
        const leaves = sorted(known.map(leafOf))
        using written = await snapshotOf(leaves)
        const expected = expectedOf(leaves, range)
        const found = await readRange(written.snapshot, range, written.tree, 100)
        expect(found.leaves).toEqual(expected)
        const all = expectedOf(leaves, { ...range, limit: null })
        const next = range.order === 'asc' ? all[expected.length] : all.at(-1 - expected.length)
        expect(found.next).toBe(next?.period ?? null)
        const whole = { ...range, period_from: null, period_to: null, limit: null }
        expect(found.hasSeries).toBe(expectedOf(leaves, whole).length > 0)
        expect(await provable(written, range)).toEqual([expected.map(({ period }) => period)])
      }),
      { numRuns: 60 },
    )
  })

  test('default: no lie about a range of a small tree is proven', async () => {
    let lies = 0
    await fc.assert(
      fc.asyncProperty(keysOf(3), anyRange, async (known, range) => {
        const leaves = sorted(known.map(leafOf))
        using written = await snapshotOf(leaves)
        const { snapshot, tree } = written
        const proofs = await Promise.all(leaves.map((_, at) => snapshot.prove(at)))
        const { evidence } = await readRange(snapshot, range, tree, 100)
        const texts = proofs.map(({ leaf }) => leaf)
        const hashesBeside = async (first: number, past: number) =>
          (await snapshot.proveRun({ first, past })).hashes.map((hash) => hash.toHex())
        for (const lie of await liesAbout(evidence, range, { texts, hashesBeside })) {
          lies += 1
          expect([lie.name, isProven(lie.evidence, range, tree)]).toEqual([lie.name, false])
        }
      }),
      { numRuns: 40 },
    )
    expect(lies).toBeGreaterThan(400)
  })

  test('behavior: 600 months take at most 20 kB, with the unit once', async () => {
    const months = Array.from(
      { length: 600 },
      (_, at) => `${1976 + Math.floor(at / 12)}-${String(1 + (at % 12)).padStart(2, '0')}`,
    )
    const unit = 'cents per kilowatt-hour'
    const leaves = ['A', 'B', 'C'].flatMap((y) =>
      months.map((period, at): Leaf => ({ ...leafOf({ x: null, y, period }), value: `${at}.25`, unit })),
    )
    using written = await snapshotOf(leaves)
    const whole = wholeOf(leaves[700] as Leaf)
    const { evidence } = await readRange(written.snapshot, whole, written.tree, 1_000)
    expect(evidence.leaves).toHaveLength(600)
    expect(evidence.leaves[0]).toEqual(['1976-01', '0.25', unit])
    expect(evidence.leaves[1]).toEqual(['1976-02', '1.25'])
    expect(JSON.stringify(evidence).length).toBeLessThan(20_000)
  })

  // No attester writes such a dataset, and both verifiers must judge it alike.
  test('behavior: a leaf with more facets is of another series, and a range beside it is not proven', async () => {
    const one = leafOf({ x: 'a', y: 'a', period: '2026' })
    const more = { ...one, facets: { ...one.facets, z: 'a' }, period: '2027' }
    using written = await snapshotOf([one, more])
    const whole = wholeOf(one)
    expect(await provable(written, whole)).toEqual([])
    expect(await provable(written, { ...whole, period_to: '2026' })).toEqual([['2026']])
    expect(await provable(written, { ...whole, limit: 1 })).toEqual([['2026']])
    expect(await provable(written, wholeOf(more))).toEqual([['2027']])
    expect(readRange(written.snapshot, whole, written.tree, 10)).rejects.toThrow('do not lead to the root')
  })

  // What completeness trusts: a builder that does not sort can hide a value that is there.
  test('behavior: in a tree that is not sorted, a range can be proven that lacks a value', async () => {
    const leaves = ['a', 'c', 'b', 'z'].map((period) =>
      leafOf({ x: null, y: period === 'b' ? 'z' : 'a', period }),
    )
    const hidden = leafOf({ x: null, y: 'a', period: 'b' })
    using written = await snapshotOf([...leaves, hidden], { isSorted: false })
    expect(await provable(written, { ...wholeOf(hidden), period_to: 'b' })).toContainEqual(['a'])
  })

  test('error: leaves of a series that are not in order', async () => {
    const leaves = ['a', 'z', 'b'].map((period) => leafOf({ x: null, y: 'a', period }))
    using written = await snapshotOf(leaves, { isSorted: false })
    expect(readRange(written.snapshot, wholeOf(leaves[0] as Leaf), written.tree, 9)).rejects.toThrow(
      'a key is not after the key of the leaf before it',
    )
  })

  test('behavior: each file is read once for a range, however often it is asked for', async () => {
    const periods = Array.from({ length: 3_000 }, (_, at) => String(at).padStart(4, '0'))
    const leaves = ['a', 'b'].flatMap((y) => periods.map((period) => leafOf({ x: null, y, period })))
    using written = await snapshotOf(leaves)
    const reads: string[] = []
    const files = folderFiles(written.path)
    const snapshot = await openSnapshot({
      read(path, maxBytes) {
        reads.push(path)
        return files.read(path, maxBytes)
      },
    })
    if (snapshot === null) throw new Error('there is a snapshot')
    const [first] = leaves
    for (const order of ['asc', 'desc'] as const)
      await readRange(snapshot, { ...wholeOf(first as Leaf), order }, written.tree, 5_000)
    expect(reads.filter((path) => path.startsWith('tile/entries/'))).toHaveLength(12)
    expect(new Set(reads).size).toBe(reads.length)
  })

  test('error: more values than may be read', async () => {
    const leaves = LETTERS.map((period) => leafOf({ x: null, y: 'a', period }))
    using written = await snapshotOf(leaves)
    const [first] = leaves
    const whole = wholeOf(first as Leaf)
    expect((await readRange(written.snapshot, whole, written.tree, 5)).leaves).toHaveLength(5)
    expect(readRange(written.snapshot, whole, written.tree, 4)).rejects.toThrow(
      'the range has 5 values, and at most 4 are read at once',
    )
  })

  test('error: bounds that are not in order', async () => {
    const leaf = leafOf({ x: null, y: 'a', period: 'b' })
    using written = await snapshotOf([leaf])
    const range = { ...wholeOf(leaf), period_from: 'z', period_to: 'a' }
    expect(readRange(written.snapshot, range, written.tree, 1)).rejects.toThrow(
      'its first period is after its last',
    )
  })

  test('error: a snapshot of another root, or of another size', async () => {
    const leaf = leafOf({ x: null, y: 'a', period: 'b' })
    using written = await snapshotOf([leaf])
    const { snapshot, tree } = written
    for (const other of [
      { ...tree, size: 2 },
      { ...tree, root: new Uint8Array(32) },
    ])
      expect(readRange(snapshot, wholeOf(leaf), other, 1)).rejects.toThrow('manifest.json')
  })
})

test.each([
  ['no unit at all', [['a', '1']]],
  ['an empty unit', [['a', '1', '']]],
  ['an empty period', [['', '1', null]]],
  ['a lone surrogate as period', [['\ud800', '1', null]]],
  ['a leaf that is too large', [['a', '1'.repeat(4_096), null]]],
] satisfies [string, RangeLeaf[]][])('error: %s', async (_, leaves) => {
  const leaf = leafOf({ x: null, y: 'a', period: 'b' })
  using written = await snapshotOf([leaf])
  const evidence = { index: 0, before: null, leaves, after: null, hashes: [] }
  expect(() => checkRun(evidence, wholeOf(leaf), written.tree)).toThrow(
    /leaf 0|first has no unit|part of a key/,
  )
})
