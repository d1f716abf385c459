import type { Leaf } from '@wattfeed/dataset'
import { endsOfText } from '@wattfeed/eia'
import { isByNewestRoot } from 'wattfeed/internal'
import type { SeriesHistoryBody } from '../../api/schemas.ts'
import type { SeriesRow } from '../../tables/seriesColumns.ts'
import { numberOf } from '../../web/cite/numberOf.ts'
import { nextPathOf, proofPathOf, type RangeAsked } from './rangeRequest.ts'
import type { FoundRange } from './seriesReader.ts'

/** Returns the body of `GET /v1/series/history`. */
export function rangeBodyOf(asked: RangeAsked, found: FoundRange): SeriesHistoryBody {
  const { reading, index } = found
  const { route, frequency, column, facets } = asked
  return {
    route,
    frequency,
    column,
    facets: { ...facets },
    feed_id: reading.feed_id,
    root: reading.source_hash,
    size: Number(reading.amount),
    attested_at: reading.updated_at,
    index,
    is_newest_root: isByNewestRoot(found),
    covers_from: found.coversFrom,
    items: itemsOf(asked, found),
    next: nextPathOf(asked, found, 'json'),
    proof: proofPathOf(asked, found, 'json'),
  }
}

/** Returns the rows of a table of a range. */
export const rangeRowsOf = (asked: RangeAsked, found: FoundRange): SeriesRow[] =>
  itemsOf(asked, found).map((item) => ({ ...item, number: numberOf(item.value) }))

/** Returns the values in the order of the request. */
function itemsOf(
  { order = 'asc' }: RangeAsked,
  { leaves, evidence }: FoundRange,
): SeriesHistoryBody['items'] {
  const items = leaves.map((leaf, at) => itemOf(leaf, evidence.index + at))
  return order === 'asc' ? items : items.reverse()
}

const itemOf = (leaf: Leaf, leaf_index: number): SeriesHistoryBody['items'][number] => ({
  period: leaf.period,
  ...endsOfText(leaf, leaf.period),
  value: leaf.value,
  unit: leaf.unit,
  leaf_index,
})
