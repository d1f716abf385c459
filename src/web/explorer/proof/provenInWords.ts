import { formatSeries } from '@wattfeed/dataset'
import type { FeedProofCheck, ProvenSeries } from 'wattfeed'

/** Says what a proof of a list or of a series shows; null for another proof, or if a link is broken. */
export function provenInWords({ feeds, history, series }: FeedProofCheck): string | null {
  if (series !== undefined) return seriesInWords(series)
  if (history !== undefined)
    return `these are all ${history.values.length} values of ${history.feed_id}, as of block ${history.block_height}.`
  if (feeds !== undefined)
    return `these ${feeds.feed_ids.length} feeds are registered, and no others, as of block ${feeds.block_height}.`
  return null
}

function seriesInWords(proven: ProvenSeries): string {
  const { series, size, feed_id, index } = proven
  const root = index === null ? 'the newest root' : `the root with index ${index}`
  return `the series ${formatSeries(series)} ${saidOf(proven)}. By ${root} of ${feed_id}, with ${size} values.`
}

function saidOf({ statement, series, period, value, unit }: ProvenSeries): string {
  if (statement === 'no_series') return 'has no value'
  if (statement === 'no_period') return `has no value for ${series.period}`
  const shown = value === null ? 'withheld' : [value, unit ?? ''].join(' ').trim()
  return statement === 'newest'
    ? `has its newest value for ${period}: ${shown}`
    : `has the value for ${period}: ${shown}`
}
