import { formatRange, formatSeries } from '@wattfeed/dataset'
import type { FeedProofCheck, ProvenRange, ProvenSeries } from 'wattfeed'

/** Says what a proof of a list, of a series or of a range shows; null for another proof, or if a link is broken. */
export function provenInWords({ feeds, history, series, range }: FeedProofCheck): string | null {
  if (range !== undefined) return rangeInWords(range)
  if (series !== undefined) return seriesInWords(series)
  if (history !== undefined)
    return `these are all ${history.values.length} values of ${history.feed_id}, as of block ${history.block_height}.`
  if (feeds !== undefined)
    return `these ${feeds.feed_ids.length} feeds are registered, and no others, as of block ${feeds.block_height}.`
  return null
}

const seriesInWords = (proven: ProvenSeries): string =>
  `the series ${formatSeries(proven.series)} ${saidOf(proven)}. ${rootInWords(proven)}`

function rangeInWords(proven: ProvenRange): string {
  const count = proven.values.length
  const found = count === 1 ? 'this value, and no other' : `these ${count} values, and no others`
  return `the series ${formatRange(proven.range)} has ${count === 0 ? 'no value' : found}. ${rootInWords(proven)}`
}

function rootInWords({ size, feed_id, index }: Pick<ProvenSeries, 'size' | 'feed_id' | 'index'>): string {
  const root = index === null ? 'the newest root' : `the root with index ${index}`
  return `By ${root} of ${feed_id}, with ${size} values.`
}

function saidOf({ statement, series, period, value, unit }: ProvenSeries): string {
  if (statement === 'no_series') return 'has no value'
  if (statement === 'no_period') return `has no value for ${series.period}`
  const shown = value === null ? 'withheld' : [value, unit ?? ''].join(' ').trim()
  return statement === 'newest'
    ? `has its newest value for ${period}: ${shown}`
    : `has the value for ${period}: ${shown}`
}
