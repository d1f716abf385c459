import {
  type CheckedLeaf,
  checkLeaf,
  checkStatement,
  type DatasetSeries,
  datasetRootOf,
  formatSeries,
  type Leaf,
  type SeriesQuery,
} from '@wattfeed/dataset'
import type { Reading } from '../../registry/reading.ts'
import type { Checker } from './checker.ts'
import { checkValueProof } from './checkValueProof.ts'
import type { SeriesProof } from './feedProof.ts'
import type { FeedProofTrust, ProvenSeries } from './feedProofCheck.ts'

/** Checks what a proof says about a series of a dataset. */
export async function checkSeriesProof(
  proof: SeriesProof,
  trust: FeedProofTrust,
  checker: Checker,
): Promise<ProvenSeries> {
  const { series, statement, leaves: served, root } = proof
  const name = nameOf(series)
  const { reading, index, height } = await checkValueProof(root, trust, checker, {
    name,
    isAsked: isAsked(series, trust),
  })
  const tree = await checker.check(
    'dataset',
    () => datasetRootOf(reading, series),
    ({ size }) => `${reading.feed_id}, ${size} values, root ${reading.source_hash}`,
  )
  const leaves: CheckedLeaf[] = []
  for (const leaf of served)
    leaves.push(
      await checker.check(
        `leaf ${leaf.index}`,
        () => checkLeaf(leaf, tree),
        (checked) => nameOf(checked.leaf),
      ),
    )
  const leaf = await checker.check(
    'statement',
    () => checkStatement({ statement, leaves }, series, tree),
    () => `${statement} of ${name}`,
  )
  return {
    ...provenBy(reading, leaf),
    statement,
    series,
    index: index ?? null,
    block_height: height,
    ...placeOf(leaf, leaves),
  }
}

const provenBy = (reading: Reading, leaf: Leaf | null) => ({
  period: leaf?.period ?? null,
  value: leaf?.value ?? null,
  unit: leaf?.unit ?? null,
  feed_id: reading.feed_id,
  root: reading.source_hash,
  size: Number(reading.amount),
  attested_at: reading.updated_at,
})

const placeOf = (leaf: Leaf | null, [first]: readonly CheckedLeaf[]) => ({
  leaf_index: leaf === null ? null : (first?.index ?? null),
})

const nameOf = (series: DatasetSeries & { readonly period: string | null }): string =>
  `${formatSeries(series)} ${series.period ?? 'newest'}`

/** Returns whether the series is the requested one: its facets may be in another order. */
function isAsked(series: SeriesQuery, trust: FeedProofTrust): boolean {
  const { series: asked, feedId, index, list, range } = trust
  if (asked === undefined || [feedId, index, list, range].some((each) => each !== undefined)) return false
  return canonical(series) === canonical(asked)
}

const canonical = ({ route, frequency, column, facets, period }: SeriesQuery): string => {
  const pairs = Object.entries(facets).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([route, frequency, column, pairs, period])
}
