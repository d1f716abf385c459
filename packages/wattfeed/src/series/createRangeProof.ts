import {
  datasetRootOf,
  type RangeEvidence,
  readRange,
  type SeriesRange,
  type Snapshot,
} from '@wattfeed/dataset'
import type { FeedProof, RangeProof } from '../client/proof/feedProof.ts'
import { MAX_RANGE_VALUES } from './findAttestedRange.ts'

/** What {@link createRangeProof} combines. */
export interface RangeProofParts {
  /** Proof of the reading whose `source_hash` is the root of the snapshot: the answer of {@link Client.getFeedProof}. */
  readonly root: FeedProof
  /** The series, and which of its values the proof has: at most 5,000. */
  readonly range: SeriesRange
  /** The snapshot of the root. */
  readonly snapshot: Snapshot
}

/**
 * Creates the proof of all values of a range of a series, from the proof of its root. Anyone can check it offline with
 * {@link verifyFeedProof}. The files are checked against the root; the proof of the root is not checked.
 *
 * @example
 * ```ts
 * import { createRangeProof, httpFiles, openSnapshot } from 'wattfeed/series'
 *
 * const range = {
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   column: 'value',
 *   facets: { duoarea: 'YCUOK', process: 'PF4', product: 'EPCWTI', series: 'RWTC' },
 *   period_from: '2026-11-02',
 *   period_to: null,
 *   order: 'asc' as const,
 *   limit: null,
 * }
 * const root = await client.getFeedProof('EIA.DATASET.PETROLEUM.PRI.SPT.DAILY', { from: trustedBlockHash })
 * const folder = 'http://localhost:8080/datasets/eia.dataset.petroleum.pri.spt.daily'
 * const snapshot = await openSnapshot(httpFiles(`${folder}/${root?.reading.source_hash}`))
 * if (root && snapshot) console.log(await createRangeProof({ root, range, snapshot }))
 * ```
 *
 * @throws {DatasetError} when the reading is no root of the dataset, or the snapshot is of another root, or a file of it is wrong.
 * @throws {RangeTooLongError} when the range has more than 5,000 values.
 */
export async function createRangeProof({ root, range, snapshot }: RangeProofParts): Promise<RangeProof> {
  const tree = datasetRootOf({ ...root.reading, amount: BigInt(root.reading.amount) }, range)
  const { evidence } = await readRange(snapshot, range, tree, MAX_RANGE_VALUES)
  return rangeProofOf(root, range, evidence)
}

/** Returns the proof that combines the proof of a root with what was found below it. */
export function rangeProofOf(root: FeedProof, range: SeriesRange, evidence: RangeEvidence): RangeProof {
  const { route, frequency, column, facets, period_from, period_to, order, limit } = range
  const { index, before, leaves, after, hashes } = evidence
  return {
    format: 1,
    range: { route, frequency, column, facets, period_from, period_to, order, limit },
    ...{ index, before, leaves, after, hashes },
    root,
  }
}
