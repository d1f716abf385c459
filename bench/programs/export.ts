/** Measures an export of values that this process invents, without a node; prints the result as JSON. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Snapshot } from 'wattfeed'
import { exportFormats } from '../../src/operator/export/manifest.ts'
import { runExport } from '../../src/operator/export/runExport.ts'
import { peakMegabytes } from '../rss.ts'

/** Totals of one export. */
export interface ExportMeasurement {
  rows: number
  files: number
  bytes: number
  seconds: number
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const [count = 1_000_000] = process.argv.slice(2, 3).map(Number)
const format = exportFormats.find((each) => each === process.argv[3]) ?? 'parquet'
const FEEDS = 10

const refuse = (): Promise<never> => Promise.reject(new Error('the export does not read this'))

/** Feeds with as many hours as values. Each value has its own period, the worst case for the memory of revision counting. */
const snapshot: Snapshot = {
  stateRootHash: '00'.repeat(32),
  fetchedAt: 0,
  ageMs: () => 0,
  verification: null,
  getLogLengths: async () => `f${FEEDS}.a${count}`,
  feedCount: async () => FEEDS,
  feedIdAt: async (index) => `BENCH.HOURLY.${index}`,
  getValueCount: async () => Math.ceil(count / FEEDS),
  getFeed: async () => ({
    decimals: 6,
    unit: 'megawatthours',
    title: 'Invented hours',
    source: 'invented',
    route: 'bench/hourly',
    frequency: 'hourly',
    description: '',
  }),
  getValueAt: async (_, index) => ({
    period: 1_577_836_800 + index * 3_600,
    amount: BigInt(index) * 1_000_003n,
    source_hash: index.toString(16).padStart(32, '0'),
    attester: `account-hash-${'ab'.repeat(32)}`,
    timestamp: 1_700_000_000_000 + index * 8_000,
  }),
  getValue: refuse,
  getReading: refuse,
  listFeedIds: refuse,
  listReadings: refuse,
  getValueHistory: refuse,
  totalAttestations: refuse,
  getFirstPartyAttester: refuse,
  getAttester: refuse,
  getClaimant: refuse,
  logs: refuse,
}

const folder = mkdtempSync(join(tmpdir(), 'wattfeed-bench-export-'))
const start = performance.now()
const { rows, files, bytes } = await runExport({
  client: { snapshot: async () => snapshot },
  chainName: 'bench',
  feedRegistryPackageHash: '01'.repeat(32),
  attestationRegistryPackageHash: '02'.repeat(32),
  concurrency: 128,
  out: join(folder, 'data'),
  format,
  feeds: null,
  since: null,
  progress: () => {},
  milestone: () => {},
})
const seconds = (performance.now() - start) / 1_000
rmSync(folder, { recursive: true })
const maxRssMb = await peakMegabytes(process.pid)
const measurement: ExportMeasurement = { rows, files, bytes, seconds, maxRssMb }
console.log(JSON.stringify(measurement))
