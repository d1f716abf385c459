import { coverageOf, forPeriod } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { withoutRecipe } from 'wattfeed/provenance'
import { formatExact } from '../../web/cite/formatExact.ts'
import { clip, periodInWords, showFrequency } from '../feedTexts.ts'
import { INVENTED, type PublicSite } from '../publicSite.ts'

/**
 * A feed as catalogs and search engines describe it. Its texts come from the chain. They are on one line, hidden characters
 * are visible in them, and their length is limited.
 */
export interface DescribedFeed {
  /** The exact id. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly unit: string
  /** EIA's term, or `other`. */
  readonly frequency: string
  /** The newest value with its unit and period: `70.04 $/bbl for 20 Nov 2026`. */
  readonly newest: string
  /** First and last day, or the start and the end of hours in UTC; null if the first period is unknown, or the integers are not periods of the frequency. */
  readonly coverage: { readonly start: string; readonly end: string } | null
  /** Time of the newest attestation in ISO 8601; null if it is not a date. */
  readonly modified: string | null
  /** Whether its values are EIA's, so that EIA's license applies. */
  readonly isFromEia: boolean
  /** EIA's page of the dataset; null if the values are not EIA's or the route is not one of EIA's. */
  readonly sourceUrl: string | null
}

export const EIA = {
  name: 'U.S. Energy Information Administration',
  url: 'https://www.eia.gov/',
  /** EIA's page on copyright: its data are in the public domain. */
  license: 'https://www.eia.gov/about/copyrights_reuse.php',
  credit: 'Source: U.S. Energy Information Administration (EIA)',
}

const lineOf = (text: string, max: number): string => clip(text.replace(/\s+/g, ' ').trim(), max)

export const describeCatalog = (isPublicChain: boolean): string =>
  [
    ...(isPublicChain ? [] : [INVENTED]),
    'US energy statistics, attested on the Casper blockchain. Each value can be verified, and no revision is lost.',
  ].join(' ')

const MAX_TITLE = 150
const MAX_UNIT = 40
// Google reads at most 5,000 characters.
const MAX_DESCRIPTION = 4_000

/** @param firstPeriod the period of its first value; null if unknown */
export function describeFeed(
  reading: Reading,
  firstPeriod: number | null,
  { isPublicChain }: PublicSite,
): DescribedFeed {
  const { feed_id, amount, decimals, period, route, source } = reading
  const title = lineOf(reading.title, MAX_TITLE) || clip(feed_id, MAX_TITLE)
  const unit = lineOf(reading.unit, MAX_UNIT)
  const frequency = showFrequency(reading.frequency)
  const isFromEia = isPublicChain && source === 'EIA'
  const isRoute = /^[a-z0-9-]+(\/[a-z0-9-]+)*$/.test(route)
  return {
    id: feed_id,
    title,
    description: [
      ...(isPublicChain ? [] : [INVENTED]),
      `${title}, in ${unit}, frequency ${frequency}.`,
      'Each value is attested on the Casper blockchain, with its revisions, and can be verified.',
      lineOf(withoutRecipe(reading.description), MAX_DESCRIPTION),
    ]
      .join(' ')
      .trim(),
    unit,
    frequency,
    newest: `${formatExact(amount, decimals)} ${unit} ${forPeriod(periodInWords(reading, period))}`,
    coverage: firstPeriod === null ? null : spanOf(reading, firstPeriod),
    modified: formatDate(reading.updated_at),
    isFromEia,
    sourceUrl: isFromEia && isRoute ? `${EIA.url}opendata/browser/${route}` : null,
  }
}

/** Values may be attested in any order, so that the first one may be of a later period than the newest one. */
function spanOf(reading: Reading, firstPeriod: number): DescribedFeed['coverage'] {
  const known = [firstPeriod, reading.period]
    .map((period) => coverageOf(reading, period))
    .filter((coverage) => coverage !== null)
    .sort((one, other) => (one.start < other.start ? -1 : 1))
  const [first, last = first] = known
  return first === undefined || last === undefined ? null : { start: first.start, end: last.end }
}

const MAX_DATE_MS = Date.UTC(10_000, 0) - 1

/** Formats a block time, which has 64 bits on chain; null from the year 10000 on. */
const formatDate = (ms: number): string | null => (ms <= MAX_DATE_MS ? new Date(ms).toISOString() : null)

/** The size in pixels of the picture that pages which link to a feed show, for Open Graph. */
export const PICTURE = { width: 1_200, height: 630 }

export function pathsOf(feedId: string) {
  const api = `/v1/feeds/${encodeURIComponent(feedId)}`
  return {
    json: `${api}/history`,
    csv: `${api}/history.csv`,
    parquet: `${api}/history.parquet`,
    picture: `${api}/chart.png`,
  }
}
