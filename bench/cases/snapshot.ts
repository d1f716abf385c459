import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inventedSeries, startInventedDataset } from '../inventedDataset.ts'
import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { EiaMeasurement } from '../programs/eiaPages.ts'
import type { SnapshotMeasurement } from '../programs/snapshot.ts'
import type { PageMeasurement, TableMeasurement } from '../programs/tablePages.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

const MAX_MINUTES = 10
const MAX_RSS_MB = 600
const MAX_DISK_MB = 700
const MAX_PATH_BYTES = 1_000
const MAX_FIND_MS = 20
const HASH_BYTES = 32
const MAX_RUN_PAGE_MS = 100
const MAX_SCATTERED_PAGE_MS = 1_000
const MAX_RANGE_CPU_MS = 20
const MAX_RANGE_BYTES = 30_000
const MIN_PER_SECOND = 100

/** Measures a snapshot of a large dataset, and a proof from it. EIA's own limit of requests is not part of it. */
export async function measureSnapshot(plan: Plan): Promise<Row[]> {
  const rows = plan === quickPlan ? 2 * inventedSeries.count : 1_000 * inventedSeries.count
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-bench-snapshot-'))
  try {
    await using api = startInventedDataset(rows)
    const found = (await runProgram('snapshot.ts', api.url, folder)) as SnapshotMeasurement
    const [root = ''] = readdirSync(folder).filter((name) => name.length === 2 * HASH_BYTES)
    const tables = (await runProgram('tablePages.ts', join(folder, root))) as TableMeasurement
    const eia = (await runProgram('eiaPages.ts', folder, plan.loadSeconds)) as EiaMeasurement
    return [
      ...[takenRow(found, diskMegabytes(folder)), provenRow(found), rangeRow(found)],
      ...[...tableRows(tables), ...eiaRows(eia)],
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function takenRow({ values, seconds, maxRssMb }: SnapshotMeasurement, diskMb: number): Row {
  return {
    name: `snapshot of ${values.toLocaleString('en-US')} invented values, read from loopback`,
    other: `${seconds.toFixed(1)} s, at most ${Math.round(maxRssMb)} MB RSS, ${Math.round(diskMb)} MB on disk`,
    target: `${MAX_MINUTES} min, ${MAX_RSS_MB} MB RSS, ${MAX_DISK_MB} MB on disk`,
    reached: seconds <= MAX_MINUTES * 60 && maxRssMb <= MAX_RSS_MB && diskMb <= MAX_DISK_MB,
  }
}

function provenRow({ values, pathHashes, firstMs, foundMs }: SnapshotMeasurement): Row {
  const p99Ms = percentile(foundMs, 0.99)
  const pathBytes = pathHashes * HASH_BYTES
  return {
    name: `a value of ${values.toLocaleString('en-US')} found and proven from files, without the chain`,
    p50Ms: percentile(foundMs, 0.5),
    p99Ms,
    other: `a path of ${pathBytes} bytes; ${firstMs.toFixed(0)} ms for the first value`,
    target: `${MAX_FIND_MS} ms, ${MAX_PATH_BYTES} bytes`,
    reached: p99Ms <= MAX_FIND_MS && pathBytes <= MAX_PATH_BYTES,
  }
}

const tableRows = ({ values, indexBytes, openMs, maxRssMb, pages }: TableMeasurement): Row[] =>
  Object.entries(pages).map(([where, { firstMs, laterMs }]: [string, PageMeasurement]) => {
    const maxMs = where.startsWith('one run') ? MAX_RUN_PAGE_MS : MAX_SCATTERED_PAGE_MS
    const p50Ms = percentile(laterMs, 0.5)
    return {
      name: `a page of 5,000 rows of ${values.toLocaleString('en-US')}: ${where}`,
      p50Ms,
      p99Ms: percentile(laterMs, 0.99),
      other: `${firstMs.toFixed(0)} ms for the first; ${openMs.toFixed(0)} ms to open ${(indexBytes / 1e6).toFixed(1)} MB; at most ${Math.round(maxRssMb)} MB RSS`,
      target: `${maxMs} ms`,
      reached: p50Ms <= maxMs,
    }
  })

const eiaRows = ({ values, maxRssMb, pages, usual }: EiaMeasurement): Row[] => [
  ...Object.entries(pages).map(([where, { firstMs, laterMs }]) => {
    const p50Ms = percentile(laterMs, 0.5)
    return {
      name: `EIA’s API: a page of 5,000 rows of ${values.toLocaleString('en-US')}, ${where}`,
      p50Ms,
      p99Ms: percentile(laterMs, 0.99),
      other: `${firstMs.toFixed(0)} ms for the first; at most ${Math.round(maxRssMb)} MB RSS with the client`,
      target: `${MAX_SCATTERED_PAGE_MS} ms`,
      reached: p50Ms <= MAX_SCATTERED_PAGE_MS,
    }
  }),
  {
    name: 'EIA’s API: the newest 24 values of one series, with the client in the same process',
    ...{ perSecond: usual.perSecond, p50Ms: usual.p50Ms, p99Ms: usual.p99Ms },
    other: usual.failures === 0 ? '' : `${usual.failures} failures`,
    target: `${MIN_PER_SECOND} a second`,
    reached: usual.failures === 0 && usual.perSecond >= MIN_PER_SECOND,
  },
]

function rangeRow({ values, rangeCpuMs, rangeBytes }: SnapshotMeasurement): Row {
  const p50Ms = percentile(rangeCpuMs, 0.5)
  return {
    name: `the newest 600 of a series, of ${values.toLocaleString('en-US')} values, read and proven (CPU)`,
    p50Ms,
    p99Ms: percentile(rangeCpuMs, 0.99),
    other: `${rangeBytes} bytes`,
    target: `${MAX_RANGE_CPU_MS} ms, ${MAX_RANGE_BYTES} bytes`,
    reached: p50Ms <= MAX_RANGE_CPU_MS && rangeBytes <= MAX_RANGE_BYTES,
  }
}

/** The size of all files in a folder, in MB (10^6 bytes) of whole blocks. */
function diskMegabytes(folder: string): number {
  const blocks = readdirSync(folder, { recursive: true }).map(
    (path) => statSync(join(folder, String(path))).blocks,
  )
  return (blocks.reduce((sum, count) => sum + count, 0) * 512) / 1e6
}
