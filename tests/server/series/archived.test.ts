import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SnapshotFiles } from '@wattfeed/dataset'
import { archivePath, createDifference } from '@wattfeed/dataset/archive'
import { folderFiles } from '@wattfeed/dataset/disk'
import { withArchives } from '../../../src/server/readers/archivedFiles.ts'
import { placeOf } from '../../../src/server/readers/snapshots.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const pathOf = (path: string, parameters: Readonly<Record<string, string>> = {}): string => {
  const series = { route: ROUTE, frequency: 'weekly', column: 'value', 'facet.product': 'EPCWTI' }
  return `${path}?${new URLSearchParams({ ...series, 'facet.area': 'NUS', ...parameters })}`
}

/** Five roots, of which all but the newest are in the archive. */
async function archived(): Promise<InventedDataset & { readonly parent: string }> {
  const dataset = await inventDataset(
    [1, 2, 3, 300, 301].map((weeks) => inventLeaves(['EPCBRENT', 'EPCWTI'], weeks)),
  )
  const parent = join(dataset.folder.path, dataset.feedId.toLowerCase())
  mkdirSync(join(parent, 'archive'))
  for (const [at, { folder, manifest }] of dataset.snapshots.slice(0, -1).entries()) {
    const base = dataset.snapshots[at + 1]?.folder ?? ''
    const bytes = await createDifference(folderFiles(folder), folderFiles(base), {
      number: at + 1,
      others: [],
    })
    writeFileSync(join(parent, archivePath(manifest.root)), bytes)
  }
  for (const { folder } of dataset.snapshots.slice(0, -1)) rmSync(folder, { recursive: true })
  return { ...dataset, parent }
}

const PATHS = [
  '/v1/series',
  '/v1/series/proof',
  '/v1/series/history',
  '/v1/series/history.csv',
  '/v1/series/history/proof',
  '/v1/series/table',
  '/v1/series/table.csv',
]

test('default: what the archive has is answered as from the folders, and nothing is written', async () => {
  using whole = await inventDataset(
    [1, 2, 3, 300, 301].map((weeks) => inventLeaves(['EPCBRENT', 'EPCWTI'], weeks)),
  )
  using dataset = await archived()
  const names = readdirSync(dataset.folder.path, { recursive: true }).sort()
  const expected = createTestApp({ client: whole.client, datasets: [whole.place] })
  const app = createTestApp({ client: dataset.client, datasets: [placeOf(dataset.folder.path)] })
  for (const path of PATHS)
    for (const index of ['0', '3', '1', '4']) {
      const asked = pathOf(path, { index })
      const response = await ask(app, asked)
      expect([asked, response.status, await response.text()]).toEqual([
        asked,
        200,
        await (await ask(expected, asked)).text(),
      ])
    }
  const revisions = pathOf('/v1/series/revisions', { period: '2026-01-09' })
  const { body } = await answerOf(app, revisions)
  expect(body.items).toEqual((await answerOf(expected, revisions)).body.items)
  expect(readdirSync(dataset.folder.path, { recursive: true }).sort()).toEqual(names)
})

test.each(['asc', 'desc'])('behavior: revisions, %s, read each difference once', async (order) => {
  using dataset = await archived()
  const files = folderFiles(dataset.folder.path)
  const read: string[] = []
  const counted: SnapshotFiles = {
    async read(path, maxBytes) {
      const bytes = await files.read(path, maxBytes)
      if (path.endsWith('.diff')) read.push(path)
      return bytes
    },
  }
  const app = createTestApp({ client: dataset.client, datasets: [withArchives(counted)] })
  const { body } = await answerOf(app, pathOf('/v1/series/revisions', { period: '2026-01-09', order }))
  const statements = ['no_period', ...Array(4).fill('value')]
  expect(body.items.map(({ statement }: { statement: string }) => statement)).toEqual(
    order === 'asc' ? statements : statements.toReversed(),
  )
  expect([read.length, new Set(read).size]).toEqual([4, 4])
})

test('behavior: a root is answered after the snapshot that it was rebuilt from went into the archive, too', async () => {
  using dataset = await inventDataset([300, 301, 302, 303].map((weeks) => inventLeaves(['EPCWTI'], weeks)))
  const parent = join(dataset.folder.path, dataset.feedId.toLowerCase())
  mkdirSync(join(parent, 'archive'))
  const archive = async (at: number) => {
    const [own, base] = [dataset.snapshots[at], dataset.snapshots[at + 1]]
    const files = [own, base].map((each) => folderFiles(each?.folder ?? '')) as [SnapshotFiles, SnapshotFiles]
    const bytes = await createDifference(...files, { number: at + 1, others: [] })
    writeFileSync(join(parent, archivePath(own?.manifest.root ?? '')), bytes)
    rmSync(own?.folder ?? '', { recursive: true })
  }
  await archive(0)
  await archive(1)
  const app = createTestApp({ client: dataset.client, datasets: [placeOf(dataset.folder.path)] })
  const valueFor = async (index: string, period: string) => {
    const { body } = await answerOf(app, pathOf('/v1/series', { index, period }))
    return body.value ?? body.error
  }
  expect(await valueFor('1', '2031-09-26')).toBe('0.2990')
  await archive(2)
  // Its leaf is in another file, which is read now.
  expect(await valueFor('1', '2026-01-09')).toBe('0.10')
  expect(await valueFor('0', '2026-01-09')).toBe('0.10')
})

test('error: an archive that is cut gives an error, and no other root answers', async () => {
  using dataset = await archived()
  const file = join(dataset.parent, archivePath(dataset.snapshots[2]?.manifest.root ?? ''))
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.subarray(0, -5))
  const app = createTestApp({ client: dataset.client, datasets: [placeOf(dataset.folder.path)] })
  for (const index of ['0', '2']) {
    const response = await ask(app, pathOf('/v1/series', { index }))
    const { error } = Object(await response.json())
    expect([response.status, response.headers.get('x-wattfeed-error'), error]).toEqual([
      502,
      'snapshot_fault',
      expect.stringContaining('.diff'),
    ])
  }
  expect((await ask(app, pathOf('/v1/series', { index: '3' }))).status).toBe(200)
})
