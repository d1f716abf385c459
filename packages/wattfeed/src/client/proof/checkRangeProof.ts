import { checkRange, checkRun, datasetRootOf, formatRange, type SeriesRange } from '@wattfeed/dataset'
import type { Checker } from './checker.ts'
import { checkValueProof } from './checkValueProof.ts'
import type { RangeProof } from './feedProof.ts'
import type { FeedProofTrust, ProvenRange } from './feedProofCheck.ts'

/** Checks that a proof has all values of a range of a series. */
export async function checkRangeProof(
  proof: RangeProof,
  trust: FeedProofTrust,
  checker: Checker,
): Promise<ProvenRange> {
  const { range, root } = proof
  const name = formatRange(range)
  const { reading, index, height } = await checkValueProof(root, trust, checker, {
    name: root.index === undefined ? name : `${name}, by the root with the index ${root.index}`,
    isAsked: isAsked(proof, trust),
  })
  const tree = await checker.check(
    'dataset',
    () => datasetRootOf(reading, range),
    ({ size }) => `${reading.feed_id}, ${size} values, root ${reading.source_hash}`,
  )
  const run = await checker.check(
    'leaves',
    () => checkRun(proof, range, tree),
    ({ leaves }) => (leaves.length === 0 ? 'none' : `${leaves.length} from the index ${proof.index} on`),
  )
  await checker.check(
    'range',
    () => checkRange(run, range),
    () => name,
  )
  return {
    range,
    values: run.leaves.map(({ period, value, unit }) => ({ period, value, unit })),
    first_index: run.leaves.length === 0 ? null : proof.index,
    feed_id: reading.feed_id,
    root: reading.source_hash,
    size: Number(reading.amount),
    index: index ?? null,
    attested_at: reading.updated_at,
    block_height: height,
  }
}

/** Returns whether the range is the requested one, and its root the requested attestation. */
function isAsked({ range, root }: RangeProof, trust: FeedProofTrust): boolean {
  const { feedId, index, list, series, range: asked } = trust
  if (asked === undefined || feedId !== undefined || list !== undefined || series !== undefined) return false
  return canonical(range) === canonical(asked) && (index === undefined || index === (root.index ?? null))
}

/** Facets may be in another order. Without a limit, the order selects nothing. */
const canonical = ({ facets, order, limit, ...range }: SeriesRange): string => {
  const { route, frequency, column, period_from, period_to } = range
  const pairs = Object.entries(facets).sort(([a], [b]) => (a < b ? -1 : 1))
  const part = limit === null ? null : [order, limit]
  return JSON.stringify([route, frequency, column, pairs, period_from, period_to, part])
}
