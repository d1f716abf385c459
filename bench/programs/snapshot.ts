/** Takes a snapshot of spot prices from an API, and finds series in it; prints the result as JSON. Arguments: URL and folder. */
import { findSeries, openSnapshot, readRange } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient } from '@wattfeed/eia'
import { createRandom } from '@wattfeed/testing/random'
import { takeSnapshot } from '../../src/agent/datasets/takeSnapshot.ts'
import { inventedDataset, inventedSeries } from '../inventedDataset.ts'
import { peakMegabytes } from '../rss.ts'

/** Figures of one snapshot. */
export interface SnapshotMeasurement {
  values: number
  seconds: number
  /** Highest resident memory of the process while it took the snapshot, in MB (10^6 bytes). */
  maxRssMb: number
  /** Hashes of a path. */
  pathHashes: number
  /** Milliseconds to open the snapshot, and to find and prove the first value. */
  firstMs: number
  /** Milliseconds to find and prove each of some random values. */
  foundMs: number[]
  /** Milliseconds of CPU to read and prove the newest 600 values of each of some random series, or all if there are fewer. */
  rangeCpuMs: number[]
  /** Size of such a proof beside that of the root, in bytes of JSON. */
  rangeBytes: number
}

const ROUNDS = 500
const [, , url = '', out = ''] = process.argv

const start = performance.now()
const { manifest, folder } = await takeSnapshot({
  eia: createEiaClient({ baseUrl: url, apiKey: 'bench', requestsPerSecond: 1e6 }),
  ...inventedDataset,
  out,
  now: Date.now,
})
const seconds = (performance.now() - start) / 1_000
const maxRssMb = await peakMegabytes(process.pid)

const opening = performance.now()
const snapshot = await openSnapshot(folderFiles(folder))
if (snapshot === null) throw new Error('there is no snapshot')
const random = createRandom(1)
const days = manifest.size / inventedSeries.count

/** Finds a random value, and returns how many hashes its path has. */
async function find(): Promise<number> {
  const query = inventedSeries.query(Math.floor(random() * inventedSeries.count), Math.floor(random() * days))
  if (snapshot === null) throw new Error('there is no snapshot')
  const { statement, leaves } = await findSeries(snapshot, query)
  if (statement !== 'value') throw new Error(`${JSON.stringify(query)} is not found`)
  return leaves[0]?.path.length ?? 0
}

const pathHashes = await find()
const firstMs = performance.now() - opening
const foundMs: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const from = performance.now()
  await find()
  foundMs.push(performance.now() - from)
}

const RANGE_VALUES = 600
const tree = { root: Uint8Array.fromHex(manifest.root), size: manifest.size }
const rangeCpuMs: number[] = []
let rangeBytes = 0
for (let round = 0; round < ROUNDS; round++) {
  const { period: _, ...series } = inventedSeries.query(Math.floor(random() * inventedSeries.count), 0)
  const range = { ...series, period_from: null, period_to: null, order: 'desc', limit: RANGE_VALUES } as const
  const before = process.cpuUsage()
  const { evidence } = await readRange(snapshot, range, tree, RANGE_VALUES)
  const { user, system } = process.cpuUsage(before)
  rangeCpuMs.push((user + system) / 1_000)
  rangeBytes = Math.max(rangeBytes, JSON.stringify(evidence).length)
}

const measurement: SnapshotMeasurement = {
  values: manifest.size,
  seconds,
  maxRssMb,
  pathHashes,
  firstMs,
  foundMs,
  rangeCpuMs,
  rangeBytes,
}
console.log(JSON.stringify(measurement))
