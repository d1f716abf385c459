import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import { archivePath, createDifference, openArchived, parseHeader } from '../src/archive/index.ts'
import { folderFiles, writeTree } from '../src/disk/index.ts'
import type { Leaf } from '../src/leaf.ts'
import { formatManifest, MANIFEST } from '../src/manifest.ts'
import { sorted } from './snapshotOf.ts'

const MAX_BYTES = 2 ** 26

const leafOf = (y: number, period: number, value: string | null, unit: string | null = 'u'): Leaf => ({
  ...{ route: 'r', frequency: 'f', column: 'c', facets: { y: `Y${y}` }, period: `2026-${period + 10}` },
  ...{ value, unit },
})

/** Writes a snapshot below a folder, and returns its root. */
async function write(parent: string, leaves: readonly Leaf[], retrievedAt: number): Promise<string> {
  const started = join(parent, 'started')
  mkdirSync(started)
  const tree = await writeTree(started, sorted([...leaves]))
  const manifest = {
    ...{ route: 'r', frequency: 'f', columns: ['c'], facets: ['y'], periods: null, retrievedAt },
    ...tree,
  }
  writeFileSync(join(started, MANIFEST), formatManifest(manifest))
  rmSync(join(parent, tree.root), { recursive: true, force: true })
  mkdirSync(join(parent, 'archive'), { recursive: true })
  renameSync(started, join(parent, tree.root))
  return tree.root
}

/** All files of a folder, by their paths. */
const filesIn = (folder: string): Map<string, Uint8Array> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), new Uint8Array(readFileSync(path))] as const),
  )

/** Puts a snapshot into the archive, and removes its folder. */
async function archive(parent: string, root: string, base: string): Promise<void> {
  const files = (name: string) => folderFiles(join(parent, name))
  writeFileSync(
    join(parent, archivePath(root)),
    await createDifference(files(root), files(base), { number: 1, others: [] }),
  )
  rmSync(join(parent, root), { recursive: true })
}

/** Writes versions that follow each other, and archives all but the last. Returns the roots and what their folders had. */
async function archived(parent: string, versions: readonly (readonly Leaf[])[]) {
  const roots: string[] = []
  const originals: Map<string, Uint8Array>[] = []
  for (const [at, leaves] of versions.entries()) {
    const root = await write(parent, leaves, at + 1)
    originals.push(filesIn(join(parent, root)))
    const before = roots.at(-1)
    roots.push(root)
    if (before !== undefined && before !== root) await archive(parent, before, root)
  }
  return { roots, originals }
}

const version = fc.uniqueArray(
  fc.record({
    y: fc.integer({ min: 0, max: 40 }),
    period: fc.integer({ min: 0, max: 20 }),
    value: fc.option(fc.constantFrom('1', '2', 'w', '\ud800', '"\\')),
    unit: fc.option(fc.constantFrom('u', 'v')),
  }),
  { minLength: 1, maxLength: 700, selector: ({ y, period }) => 100 * y + period },
)

describe('openArchived', () => {
  test('default: each of several snapshots is rebuilt byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(version, { minLength: 2, maxLength: 4 }), async (versions) => {
        using folder = createFolder('in memory')
        // The number of a version tells them apart.
        const leaves = versions.map((rows, at) => [
          ...rows.map(({ y, period, value, unit }) => leafOf(y, period, value, unit)),
          leafOf(99, 0, String(at)),
        ])
        const { roots, originals } = await archived(folder.path, leaves)
        for (const [at, root] of roots.slice(0, -1).entries()) {
          const found = await openArchived(folderFiles(folder.path), root, MAX_BYTES)
          for (const [path, bytes] of originals[at] ?? [])
            expect([path, await found?.files.read(path, bytes.length)]).toEqual([path, bytes])
          const rebuilt = await Array.fromAsync(found?.leaves() ?? [])
          expect(rebuilt).toEqual(sorted(leaves[at] ?? []))
        }
      }),
      { numRuns: 15 },
    )
  })

  test('behavior: a difference is small, and its header says what it needs', async () => {
    using folder = createFolder('in memory')
    const before = Array.from({ length: 4_000 }, (_, at) => leafOf(Math.floor(at / 20), at % 20, `${at}`))
    const after = before.map((leaf, at) => (at % 100 === 7 ? { ...leaf, value: `${at}.5` } : leaf))
    const { roots, originals } = await archived(folder.path, [before, after])
    const file = readFileSync(join(folder.path, archivePath(roots[0] ?? '')))
    expect(parseHeader(file, 'x')).toEqual({
      ...{ root: roots[0] ?? '', base: roots[1] ?? '', size: 4_000, baseSize: 4_000, number: 1 },
    })
    const whole = [...(originals[0] ?? [])].reduce((sum, [, { length }]) => sum + length, 0)
    expect(file.length).toBeLessThan(whole / 50)
  })

  test('behavior: null without a difference, and none of the files that no snapshot has', async () => {
    using folder = createFolder('in memory')
    const { roots } = await archived(folder.path, [[leafOf(1, 1, '1')], [leafOf(1, 1, '2')]])
    const [root = '', last = ''] = roots
    expect(await openArchived(folderFiles(folder.path), last, MAX_BYTES)).toBeNull()
    const found = await openArchived(folderFiles(folder.path), root, MAX_BYTES)
    for (const path of [
      'tile/0/000',
      'tile/0/001',
      'tile/1/000',
      'tile/entries/000',
      'other',
      'tile/0/000.p/2',
    ])
      expect([path, await found?.files.read(path, 1_000)]).toEqual([path, null])
    await expect(found?.files.read('tile/entries/000.p/1', 10)).rejects.toThrow('is larger than 10 bytes')
  })

  test('error: a byte that differs gives an error, or the same files', async () => {
    using folder = createFolder('in memory')
    const before = Array.from({ length: 300 }, (_, at) => leafOf(at, 1, `${at}`))
    const after = before.flatMap((leaf, at) =>
      at % 9 === 0 ? [] : at % 7 === 0 ? [{ ...leaf, value: 'x' }, leafOf(at, 2, 'y')] : [leaf],
    )
    const { roots, originals } = await archived(folder.path, [before, after])
    const [root = ''] = roots
    const path = join(folder.path, archivePath(root))
    const whole = readFileSync(path)
    let refused = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          writeFileSync(path, whole.with(at, (whole[at] ?? 0) ^ change))
          const found = await openArchived(folderFiles(folder.path), root, MAX_BYTES).catch((error) => error)
          if (found instanceof Error) {
            expect(found).toMatchObject({ name: 'DatasetError' })
            refused += 1
            return
          }
          for (const name of ['tile/0/000', 'tile/0/001.p/44', 'tile/1/000.p/1'])
            expect(await found?.files.read(name, 10_000)).toEqual(originals[0]?.get(name))
        },
      ),
      { numRuns: 200 },
    )
    expect(refused).toBeGreaterThan(80)
  })

  test('error: more memory than it may take, before it is taken', async () => {
    using folder = createFolder('in memory')
    const before = Array.from({ length: 300 }, (_, at) => leafOf(at, 1, `${at}`))
    const { roots } = await archived(folder.path, [before, before.slice(1)])
    const read = (maxBytes: number) => openArchived(folderFiles(folder.path), roots[0] ?? '', maxBytes)
    await expect(read(1_000)).rejects.toThrow('"datasets restore" writes its snapshot')
    await expect(read(20_000)).rejects.toThrow('in memory, of at most 20000')
  })

  test('error: a chain without its end, of another root, and one that is a ring', async () => {
    using folder = createFolder('in memory')
    const versions = [1, 2, 3].map((value) => [leafOf(1, 1, String(value))])
    const { roots } = await archived(folder.path, versions)
    const [first = '', second = '', third = ''] = roots
    const path = (root: string) => join(folder.path, archivePath(root))
    const read = () => openArchived(folderFiles(folder.path), first, MAX_BYTES)
    rmSync(join(folder.path, third), { recursive: true })
    await expect(read()).rejects.toThrow(`is missing, and so is the snapshot ${third}`)
    writeFileSync(path(third), readFileSync(path(second)))
    await expect(read()).rejects.toThrow(`is of the root ${second}`)
    const ring = readFileSync(path(second), 'latin1').replace(`"base":"${third}"`, `"base":"${first}"`)
    writeFileSync(path(second), ring, 'latin1')
    await expect(read()).rejects.toThrow('is its own base')
  })
})
