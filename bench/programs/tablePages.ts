/** Reads pages of tables from a snapshot, and prints how long each takes as JSON. Argument: the folder of the snapshot. */
import { hash } from 'node:crypto'
import { folderFiles } from '@wattfeed/dataset/disk'
import { openTable, type PageQuery, pageOf, selectJoined, selectLeaves } from '@wattfeed/dataset/table'
import { peakMegabytes } from '../rss.ts'

/** Milliseconds of a page: the first that is read, and each of some later ones. */
export interface PageMeasurement {
  firstMs: number
  laterMs: number[]
}

/** Figures of the tables of one snapshot. */
export interface TableMeasurement {
  values: number
  /** Size of the index, in bytes. */
  indexBytes: number
  openMs: number
  /** By the order of the rows, and where the page is. */
  pages: Record<string, PageMeasurement>
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const LIMIT = 5_000
const ROUNDS = 10
const [, , folder = ''] = process.argv

const opening = performance.now()
// As the server opens it.
const table = await openTable(folderFiles(folder), { sha256: (bytes) => hash('sha256', bytes, 'buffer') })
if (table === null) throw new Error('there is no snapshot')
const openMs = performance.now() - opening

const { index, manifest } = table
const filter = { columns: manifest.columns, facets: {}, from: null, to: null }
const last = Math.max(0, manifest.size - 2 * LIMIT)
const newestFirst: PageQuery['sort'] = [{ by: 'period', isDescending: true }]

async function read(page: Omit<PageQuery, 'limit'>, select = selectLeaves): Promise<number> {
  const from = performance.now()
  const { total, rows } = pageOf(index, select(index, filter), { ...page, limit: LIMIT })
  const leaves = await table?.readLeaves(rows.flatMap((row) => [...row]))
  if (total !== manifest.size || leaves?.size !== Math.min(LIMIT, total)) throw new Error('rows are missing')
  return performance.now() - from
}

async function measure(...asked: Parameters<typeof read>): Promise<PageMeasurement> {
  const firstMs = await read(...asked)
  const laterMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) laterMs.push(await read(...asked))
  return { firstMs, laterMs }
}

const pages: TableMeasurement['pages'] = {
  'newest first, from 0': await measure({ sort: newestFirst, offset: 0 }),
  [`newest first, from ${last}`]: await measure({ sort: newestFirst, offset: last }),
  'one run, from 0': await measure({ sort: [], offset: 0 }),
  [`one run, from ${last}`]: await measure({ sort: [], offset: last }),
  [`as EIA’s rows, newest first, from ${last}`]: await measure(
    { sort: newestFirst, offset: last },
    selectJoined,
  ),
}

const measurement: TableMeasurement = {
  values: manifest.size,
  indexBytes: table.bytes,
  openMs,
  pages,
  maxRssMb: await peakMegabytes(process.pid),
}
console.log(JSON.stringify(measurement))
