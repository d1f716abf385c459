import { describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { checkSnapshot, folderFiles } from '../src/disk/index.ts'
import { MANIFEST } from '../src/manifest.ts'
import { openSnapshot } from '../src/snapshot.ts'
import { inventLeaves, snapshotOf } from './snapshotOf.ts'

/** Edits a file that may be no text: each byte is a character. */
const edit = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, 'latin1')), 'latin1')

const editManifest = (change: (manifest: Record<string, unknown>) => object) => (path: string) =>
  edit(join(path, MANIFEST), (text) => JSON.stringify(change(JSON.parse(text))))

const faults: [string, (path: string) => void, string][] = [
  ['no manifest', (path) => rmSync(join(path, MANIFEST)), 'manifest.json: is missing'],
  [
    'another kind of manifest',
    editManifest(() => ({})),
    'manifest.json: not the manifest of a wattfeed dataset',
  ],
  [
    'newer leaves',
    editManifest((found) => ({ ...found, leaf: 2 })),
    'its leaves have another version than 1',
  ],
  [
    'no size',
    editManifest((found) => ({ ...found, size: 0 })),
    'manifest.json: size is missing or malformed',
  ],
  [
    'another root',
    editManifest((found) => ({ ...found, root: 'a'.repeat(64) })),
    'manifest.json: its root is aaaa',
  ],
  ['another route', editManifest((found) => ({ ...found, route: 'coal' })), 'leaf 0: is of another dataset'],
  ['another column', editManifest((found) => ({ ...found, columns: ['x'] })), 'leaf 0: is of a column'],
  ['another facet', editManifest((found) => ({ ...found, facets: ['x', 'y'] })), 'leaf 0: has other facets'],
  [
    'another period',
    editManifest((found) => ({ ...found, newest_period: '2027' })),
    'its newest period is not that',
  ],
  ['a larger size', editManifest((found) => ({ ...found, size: 1_400 })), 'tile/entries/004: is missing'],
  ['a missing bundle', (path) => rmSync(join(path, 'tile/entries/001')), 'tile/entries/001: is missing'],
  [
    'a cut bundle',
    (path) => truncateSync(join(path, 'tile/entries/001'), 999),
    'tile/entries/001: expected 256',
  ],
  [
    'a changed leaf',
    (path) => edit(join(path, 'tile/entries/001'), (text) => text.replace('MBBL', 'TONS')),
    'tile/0/001: does not follow from the leaves',
  ],
  [
    'a changed index',
    (path) => edit(join(path, 'index'), (text) => `x${text.slice(1)}`),
    'index: does not follow',
  ],
  [
    'a link out of the folder',
    (path) => {
      rmSync(join(path, 'index'))
      symlinkSync('/etc/hostname', join(path, 'index'))
    },
    'index: leads out of the folder',
  ],
  [
    'a file that is too large',
    (path) => writeFileSync(join(path, MANIFEST), ' '.repeat(65_537)),
    'manifest.json: is larger than 65536 bytes',
  ],
]

describe('checkSnapshot', () => {
  test('default: the manifest of a snapshot that follows from its leaves, and the progress', async () => {
    using written = await snapshotOf(inventLeaves(500))
    const seen: number[][] = []
    const found = await checkSnapshot(folderFiles(written.path), (...progress) => seen.push(progress))
    expect(found).toEqual(written.manifest)
    expect(seen).toEqual([256, 512, 768, 1024, 1250].map((leaves) => [leaves, 1250]))
  })

  test.each(faults)('error: %s', async (_, breakIt, message) => {
    using written = await snapshotOf(inventLeaves(500))
    breakIt(written.path)
    expect(checkSnapshot(folderFiles(written.path))).rejects.toThrow(message)
  })

  test('error: leaves that are not sorted, or twice the same, with a root that follows from them', async () => {
    const [first, second] = inventLeaves(2)
    if (first === undefined || second === undefined) throw new Error('two leaves')
    for (const leaves of [
      [second, first],
      [first, first],
    ]) {
      using written = await snapshotOf(leaves, { isSorted: false })
      expect(checkSnapshot(folderFiles(written.path))).rejects.toThrow('leaf 1: its key is not after the key')
    }
  })
})

describe('openSnapshot', () => {
  test('default: null where there is none', async () => {
    using folder = createFolder()
    expect(await openSnapshot(folderFiles(folder.path))).toBeNull()
    expect(await openSnapshot(folderFiles(join(folder.path, 'missing')))).toBeNull()
    expect(await openSnapshot(folderFiles(folder.write('file', '')))).toBeNull()
  })

  test('error: an index that is missing, and read again when it is there', async () => {
    using written = await snapshotOf(inventLeaves(5))
    const file = join(written.path, 'index')
    const index = readFileSync(file)
    rmSync(file)
    const key = new Uint8Array([0xff])
    expect(written.snapshot.countBefore(key)).rejects.toThrow('index: is missing')
    await Bun.sleep(0)
    writeFileSync(file, index)
    expect(await written.snapshot.countBefore(key)).toBe(written.tree.size)
  })
})
