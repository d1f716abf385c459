import { describe, expect, test } from 'bun:test'
import { decodeHex, encodeHex } from '@wattfeed/base'
import fc from 'fast-check'
import { hashLeaf, isIncluded, nodesBeside, rootOf, rootOfRun } from '../src/merkleTree.ts'
import { countAtLevel, readHashesBeside, readMerklePath, TILE_WIDTH, Tile, tilePath } from '../src/tiles.ts'

// The vectors of Certificate Transparency's reference implementation.
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => hashLeaf(decodeHex(hex, 'leaf')))

const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const hashOf = (index: number): Uint8Array => hashLeaf(Uint8Array.of(index >> 16, index >> 8, index))

/** A tree of that many leaves: its root, and its tiles. */
function treeOf(size: number) {
  const levels: Uint8Array[][] = [Array.from({ length: size }, (_, index) => hashOf(index))]
  for (let level = 1; countAtLevel(size, level) > 0; level++) {
    const below = levels[level - 1] ?? []
    const tile = (at: number) => rootOf(below.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH))
    levels.push(Array.from({ length: countAtLevel(size, level) }, (_, at) => tile(at)))
  }
  const readTile = async (level: number, number: number, width: number) => {
    const hashes = (levels[level] ?? []).slice(number * TILE_WIDTH, number * TILE_WIDTH + width)
    return new Tile(Buffer.concat(hashes), width, tilePath(level, number, width))
  }
  return { root: rootOf(levels[0] ?? []), readTile }
}

describe('rootOf', () => {
  test.each(roots.map((root, index) => [index + 1, root] as const))('default: %d leaves', (size, root) => {
    expect(encodeHex(rootOf(leaves.slice(0, size)))).toBe(root)
  })
})

describe('readMerklePath and isIncluded', () => {
  test('default: every leaf of every small tree is included at its place, and at no other', async () => {
    for (let size = 1; size <= 20; size++) {
      const { root, readTile } = treeOf(size)
      for (let index = 0; index < size; index++) {
        const path = await readMerklePath(index, size, readTile)
        const places = Array.from({ length: size }, (_, at) => at)
        expect(places.filter((at) => isIncluded(hashOf(index), { index: at, size }, path, root))).toEqual([
          index,
        ])
      }
    }
  })

  // RFC 6962's root does not contain the size: this is why it must come from the attestation.
  test('behavior: the same leaf and path have another index in a tree of another size', async () => {
    const { root, readTile } = treeOf(3)
    const path = await readMerklePath(2, 3, readTile)
    expect(isIncluded(hashOf(2), { index: 2, size: 3 }, path, root)).toBe(true)
    expect(isIncluded(hashOf(2), { index: 1, size: 2 }, path, root)).toBe(true)
  })

  test('behavior: trees of several tiles and levels', async () => {
    const sizes = fc.integer({ min: 250, max: 70_000 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), async (size, nat) => {
        const { root, readTile } = treeOf(size)
        const index = nat % size
        const path = await readMerklePath(index, size, readTile)
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
        expect(isIncluded(hashOf(index), { index, size }, path, root)).toBe(true)
        const wrong = { index: (index + 1) % size, size }
        expect(isIncluded(hashOf(index), wrong, path, root)).toBe(false)
      }),
      { numRuns: 8 },
    )
  })

  test.each([
    ['a path that is too short', (path: Uint8Array[]) => path.slice(1), 5],
    ['a path that is too long', (path: Uint8Array[]) => [...path, hashOf(1)], 5],
    ['another hash', (path: Uint8Array[]) => [hashOf(9), ...path.slice(1)], 5],
    ['an index below 0', (path: Uint8Array[]) => path, -1],
    ['an index past the end', (path: Uint8Array[]) => path, 11],
    ['a fraction', (path: Uint8Array[]) => path, 5.5],
  ])('error: %s', async (_, change, index) => {
    const { root, readTile } = treeOf(11)
    const path = await readMerklePath(5, 11, readTile)
    expect(isIncluded(hashOf(5), { index: 5, size: 11 }, path, root)).toBe(true)
    expect(isIncluded(hashOf(5), { index, size: 11 }, change(path), root)).toBe(false)
  })

  test('error: a tile with other bytes than its hashes', () => {
    expect(() => new Tile(new Uint8Array(63), 2, 'tile/0/000.p/2')).toThrow(
      'tile/0/000.p/2: expected 2 hashes of 32 bytes',
    )
  })
})

describe('readHashesBeside and rootOfRun', () => {
  const hashesOf = (first: number, past: number) =>
    Array.from({ length: past - first }, (_, offset) => hashOf(first + offset))

  test('default: every run of every small tree leads to its root, and at no other place or size', async () => {
    for (let size = 1; size <= 13; size++) {
      const { root, readTile } = treeOf(size)
      for (let first = 0; first < size; first++)
        for (let past = first + 1; past <= size; past++) {
          const beside = await readHashesBeside({ first, past }, size, readTile)
          const places = Array.from({ length: size }, (_, at) => at)
          const holds = (at: number, ofSize: number) => {
            const found = rootOfRun(at, hashesOf(first, past), ofSize, beside)
            return found !== null && encodeHex(found) === encodeHex(root)
          }
          expect(places.filter((at) => holds(at, size))).toEqual([first])
        }
    }
  })

  test('behavior: trees of several tiles and levels', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 250, max: 70_000 }),
        fc.nat(),
        fc.nat(600),
        async (size, nat, length) => {
          const { root, readTile } = treeOf(size)
          const first = nat % size
          const past = Math.min(size, first + length + 1)
          const beside = await readHashesBeside({ first, past }, size, readTile)
          expect(beside.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)))
          expect(rootOfRun(first, hashesOf(first, past), size, beside)).toEqual(root)
        },
      ),
      { numRuns: 8 },
    )
  })

  test('behavior: the nodes beside a run are the rest of the tree', () => {
    expect(nodesBeside({ first: 2, past: 5 }, 7)).toEqual([
      { start: 0, end: 2 },
      { start: 5, end: 6 },
      { start: 6, end: 7 },
    ])
    expect(nodesBeside({ first: 0, past: 7 }, 7)).toEqual([])
  })

  test.each([
    ['a hash too few', (beside: Uint8Array[]) => beside.slice(1), 3, 11],
    ['a hash too many', (beside: Uint8Array[]) => [...beside, hashOf(1)], 3, 11],
    ['an index below 0', (beside: Uint8Array[]) => beside, -1, 11],
    ['a run past the end', (beside: Uint8Array[]) => beside, 9, 11],
    ['a fraction', (beside: Uint8Array[]) => beside, 3.5, 11],
    ['an index beyond the integers of a double', (beside: Uint8Array[]) => beside, 2 ** 53, 2 ** 54],
  ])('error: %s', async (_, change, first, size) => {
    const { readTile } = treeOf(11)
    const beside = await readHashesBeside({ first: 3, past: 6 }, 11, readTile)
    expect(rootOfRun(first, hashesOf(3, 6), size, change(beside))).toBeNull()
  })

  test('error: no leaf', () => {
    expect(rootOfRun(1, [], 2, [hashOf(0), hashOf(1)])).toBeNull()
  })
})

test.each([
  ['entries', 0, 256, 'tile/entries/000'],
  [0, 999, 12, 'tile/0/999.p/12'],
  [1, 1000, 256, 'tile/1/x001/000'],
  [2, 1_234_067, 1, 'tile/2/x001/x234/067.p/1'],
] as const)('default: the path of a tile: %s %d %d', (level, number, width, path) => {
  expect(tilePath(level, number, width)).toBe(path)
})
