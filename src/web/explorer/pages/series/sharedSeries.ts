import type { DatasetSeries } from '@wattfeed/dataset'
import { proofUrl, rangeProofUrl, seriesEmbedUrl, seriesPageUrl } from '../../../cite/addresses.ts'
import { MAX_SHOWN, type SeriesHistory } from '../../data/seriesHistory.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../../format/untrusted.ts'
import type { Shared } from '../feed/embedAndCite.tsx'

const MAX_TEXT = 80

/**
 * Returns what is embedded and cited of a series: its newest value, by the shown root.
 *
 * @param asOf ISO 8601; null for now
 */
export function sharedSeries(
  { route, frequency, column, facets }: DatasetSeries,
  title: string,
  { items, feed_id, index }: SeriesHistory,
  asOf: string | null,
) {
  const { origin } = location
  const series = { route, frequency, column, facets }
  const newest = items.at(-1)
  const named = showText(title, MAX_TITLE)
  const range = {
    ...series,
    period_from: newest?.period ?? null,
    period_to: newest?.period ?? null,
    order: 'desc',
    limit: MAX_SHOWN,
  } as const
  const shared: Shared = {
    title: named,
    embed: seriesEmbedUrl(origin, series, asOf),
    verified: 'the values',
    cite: () => ({
      feedId: [feed_id, column, ...Object.values(facets)].join(' '),
      title: named,
      value: showText(newest?.value ?? 'withheld by EIA', MAX_TEXT),
      unit: showText(newest?.unit ?? '', MAX_UNIT),
      period: showText(newest?.period ?? '', MAX_TEXT),
      url: seriesPageUrl(origin, series, asOf),
    }),
    proofUrl: () => rangeProofUrl(origin, { range, index }),
  }
  // The block has the root by which the page shows the value.
  return { shared, proofPath: proofUrl('', feed_id, index), revision: index }
}
