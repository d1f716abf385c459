import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeKey, type Leaf } from '@wattfeed/dataset'
import { encodePeriod } from '@wattfeed/eia'
import type { UpstreamRow } from '@wattfeed/eia/internal'
import { hashedUnit } from 'wattfeed/internal'
import { createNameOf, type StagedNames } from '../agent/datasets/stagedNames.ts'
import { writeSnapshot } from '../agent/datasets/writeSnapshot.ts'
import { type DatasetConfig, datasetOf, type SeriesConfig } from '../feeds/file/feedConfig.ts'
import { firstPrint, type PastRun, publishedAt } from './attestPast.ts'
import type { Upstream } from './standIn/upstream.ts'
import { EARLIER_ROOTS } from './standIn/wholeDatasets.ts'

export interface PastRootsOptions {
  /** The feeds with a series in the datasets: a root has the values that were attested for them. */
  feeds: readonly SeriesConfig[]
  /** It has released its rows. */
  upstream: Upstream
  /** Where the agent keeps its snapshots. */
  folder: string
  /** Epoch milliseconds; no root is attested later. */
  now: number
}

/**
 * Writes the snapshots that an agent would have taken at the releases before the newest, and returns the attestations of their
 * roots, oldest first. In each, some values of its newest period are those before their revision.
 */
export async function writePastRoots(
  datasets: readonly DatasetConfig[],
  options: PastRootsOptions,
): Promise<PastRun[]> {
  const runs = await Promise.all(datasets.map((dataset) => rootsOf(dataset, options)))
  return runs.flat().sort((a, b) => a.at - b.at)
}

/** Writes the snapshots together: most of the time, a disk is waited for. */
async function rootsOf(feed: DatasetConfig, options: PastRootsOptions): Promise<PastRun[]> {
  const { folder, now } = options
  const { facets, ...dataset } = datasetOf(feed)
  const all = readAll(feed, options.upstream)
  const periods = [...new Set(all.leaves.map(({ period }) => period))].sort().reverse()
  const firstPrintOf = createFirstPrint(feed, options.feeds)
  const out = join(folder, feed.feed_id.toLowerCase())
  await mkdir(out, { recursive: true })
  const writeRoot = async (newest: string, age: number): Promise<PastRun> => {
    const window = new Set(periods.slice(age, age + (feed.dataset.periods ?? periods.length)))
    const leaves = all.leaves
      .filter(({ period }) => window.has(period))
      .map((leaf) => (leaf.period === newest ? { ...leaf, value: firstPrintOf(leaf) } : leaf))
    const at = Math.min(now, publishedAt(feed, newest))
    const source = { leaves: () => leaves, nameOf: createNameOf(all.names, facets), retrievedAt: at }
    const { manifest } = await writeSnapshot(source, { out, dataset, facets })
    const { size, root } = manifest
    const period = encodePeriod(feed.frequency, newest)
    return {
      at,
      attestations: [{ feed_id: feed.feed_id, period, amount: BigInt(size), source_hash: root }],
    }
  }
  const earlier = periods.slice(1, EARLIER_ROOTS + 1)
  return Promise.all(earlier.map((period, index) => writeRoot(period, index + 1)))
}

/** Reads all values of a dataset in the order of a tree, as the agent reads them, and the names of the facets' values. */
function readAll(feed: DatasetConfig, { api }: Upstream) {
  const { route, frequency, columns, facets } = datasetOf(feed)
  const dataset = api.datasets.get(route)
  if (dataset === undefined) throw new Error(`the stand-in for EIA has no dataset ${route}`)
  const stored = dataset.data.response.frequency === frequency ? (api.rows.get(route) ?? []) : []
  const rows = [...stored, ...(api.invent?.(dataset, { frequency, facets: {} }) ?? [])]
  const leaves = rows.flatMap((row): Leaf[] => {
    const named = Object.fromEntries(facets.map((id) => [id, row[id] ?? null]))
    return columns.map((column) => {
      const unit = hashedUnit(route, row.units ?? row[`${column}-units`] ?? null)
      const key = { route, frequency, column, facets: named, period: row.period ?? '' }
      return { ...key, value: row[column] ?? null, unit }
    })
  })
  const sorted = leaves
    .map((leaf) => ({ leaf, key: encodeKey(leaf) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ leaf }) => leaf)
  return { leaves: sorted, names: namesIn(rows) }
}

/** What rows call the values of facets, as a stage has it. */
const namesIn = (rows: readonly UpstreamRow[]): StagedNames => ({
  members: () => Object.keys(Object.assign({}, ...rows)),
  textsOf: (member, facet) => ({
    state: 'determined',
    texts: new Map(rows.map((row) => [row[facet] ?? '', row[member] ?? null])),
  }),
})

/** Returns the value of a leaf before its revision: the one that was attested for its feed, if it has one. */
function createFirstPrint({ route, frequency }: DatasetConfig, feeds: readonly SeriesConfig[]) {
  const own = feeds.filter((feed) => feed.route === route && feed.frequency === frequency)
  return (leaf: Leaf): string | null => {
    const feed = own.find(
      ({ column, facets }) =>
        column === leaf.column && Object.entries(facets).every(([id, value]) => leaf.facets[id] === value),
    )
    const name = feed?.feed_id ?? `${route} ${leaf.column} ${Object.values(leaf.facets).join(' ')}`
    return Number(leaf.value) > 0 ? firstPrint(name, leaf) : leaf.value
  }
}
