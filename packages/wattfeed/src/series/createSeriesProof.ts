import { datasetRootOf, type Evidence, readSeries, type SeriesQuery, type Snapshot } from '@wattfeed/dataset'
import type { FeedProof, SeriesProof } from '../client/proof/feedProof.ts'

/** What {@link createSeriesProof} combines. */
export interface SeriesProofParts {
  /** Proof of the reading whose `source_hash` is the root of the snapshot: the answer of {@link Client.getFeedProof}. */
  readonly root: FeedProof
  /** The series, and a period of it; null for its newest. */
  readonly query: SeriesQuery
  /** The snapshot of the root. */
  readonly snapshot: Snapshot
}

/**
 * Creates the proof of what a snapshot says about a series, from the proof of its root. Anyone can check it offline with
 * {@link verifyFeedProof}. The files are checked against the root; the proof of the root is not checked.
 *
 * @example
 * ```ts
 * import { createSeriesProof, httpFiles, openSnapshot } from 'wattfeed/series'
 *
 * const query = {
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   column: 'value',
 *   facets: { duoarea: 'YCUOK', process: 'PF4', product: 'EPCWTI', series: 'RWTC' },
 *   period: null,
 * }
 * const root = await client.getFeedProof('EIA.DATASET.PETROLEUM.PRI.SPT.DAILY', { from: trustedBlockHash })
 * const folder = 'http://localhost:8080/datasets/eia.dataset.petroleum.pri.spt.daily'
 * const snapshot = await openSnapshot(httpFiles(`${folder}/${root?.reading.source_hash}`))
 * if (root && snapshot) console.log(await createSeriesProof({ root, query, snapshot }))
 * ```
 *
 * @throws {DatasetError} when the reading is no root of the dataset, or the snapshot is of another root, or a file of it is wrong.
 */
export async function createSeriesProof({ root, query, snapshot }: SeriesProofParts): Promise<SeriesProof> {
  const tree = datasetRootOf({ ...root.reading, amount: BigInt(root.reading.amount) }, query)
  return seriesProofOf(root, query, await readSeries(snapshot, query, tree))
}

/** Returns the proof that combines the proof of a root with what was found below it. */
export function seriesProofOf(
  root: FeedProof,
  { route, frequency, column, facets, period }: SeriesQuery,
  { statement, leaves }: Evidence,
): SeriesProof {
  return { format: 1, series: { route, frequency, column, facets, period }, statement, leaves, root }
}
