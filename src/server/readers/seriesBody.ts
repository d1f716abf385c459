import type { DatasetSeries } from '@wattfeed/dataset'
import { endsOfText } from '@wattfeed/eia'
import { isByNewestRoot } from 'wattfeed/internal'
import type { SeriesBody } from '../../api/schemas.ts'
import { seriesPairs } from '../../web/site/seriesPath.ts'
import type { FoundSeries } from './seriesReader.ts'

/** Returns the body of `GET /v1/series`. The series has a value. */
export function seriesBodyOf(found: FoundSeries): SeriesBody {
  const { leaf, leaves, reading, index } = found
  const [first] = leaves
  if (leaf === null || first === undefined) throw new TypeError('an absence is an error of the reader')
  const { route, frequency, column, facets, period, value, unit } = leaf
  return {
    route,
    frequency,
    column,
    facets: { ...facets },
    period,
    ...endsOfText(leaf, period),
    value,
    unit,
    feed_id: reading.feed_id,
    root: reading.source_hash,
    size: Number(reading.amount),
    leaf_index: first.index,
    attested_at: reading.updated_at,
    index,
    is_newest_root: isByNewestRoot(found),
    proof: formatSeriesProofPath(leaf, index),
  }
}

/** Formats the path of the proof of a value of a series, by the root with an index. */
export function formatSeriesProofPath(
  series: DatasetSeries & { readonly period: string },
  index: number,
): string {
  const pairs: [name: string, text: string][] = [
    ...seriesPairs(series),
    ['period', series.period],
    ['index', String(index)],
  ]
  return `/v1/series/proof?${new URLSearchParams(pairs)}`
}
