import type { StatusBody } from '../../../../api/schemas.ts'
import { createFeedSearch } from '../../../../feeds/catalog/feedSearch.ts'
import { familyOf } from '../../data/families.ts'
import type { FeedReading } from '../../data/readings.ts'
import { urgency } from '../../data/statuses.ts'

/** The ids of the feeds that people look for first, in the order of the list. Any chain may lack some. */
export const bestKnown: readonly string[] = [
  'EIA.PET.PRICE.WTI.DAILY',
  'EIA.NG.PRICE.HENRYHUB.DAILY',
  'EIA.PET.PRICE.GASOLINE_RETAIL.WEEKLY',
  'EIA.ELEC.DEMAND.US48.HOURLY',
  'EIA.PET.PRICE.BRENT.DAILY',
  'EIA.PET.PRICE.DIESEL_RETAIL.WEEKLY',
  'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
  'EIA.PET.STOCKS.CRUDE_EXSPR.WEEKLY',
  'EIA.ELEC.RETAIL.PRICE.US_ALL.MONTHLY',
  'EIA.ELEC.GEN_NG.US48.HOURLY',
  'EIA.PET.PROD.CRUDE_FIELD.MONTHLY',
  'EIA.NG.PROD.MARKETED.MONTHLY',
]

/** Orders of the list, by their value in the address. */
export const orders = {
  known: 'Best known',
  registered: 'As registered',
  newest: 'Newest first',
  title: 'Title',
  status: 'Late first',
} as const
export type Order = keyof typeof orders

/** The order of an address that names none. */
export const DEFAULT_ORDER: Order = 'known'

export interface Selection {
  /** Words that must all occur, in any case. */
  words: string
  /** Null for all. */
  family: string | null
  order: Order
}

export function selectionOf(query: URLSearchParams): Selection {
  const order = query.get('sort') ?? ''
  return {
    words: query.get('q') ?? '',
    family: query.get('family'),
    order: Object.hasOwn(orders, order) ? (order as Order) : DEFAULT_ORDER,
  }
}

/** Returns the selected feeds in the selected order. Feeds that it does not rank are in the default order. */
export function select(
  feeds: readonly FeedReading[],
  { words, family, order }: Selection,
  statuses: ReadonlyMap<string, Pick<StatusBody, 'state'>> | null,
): readonly FeedReading[] {
  const isFound = createFeedSearch(words)
  const urgencyOf = ({ feed_id }: FeedReading): number =>
    urgency.indexOf(statuses?.get(feed_id)?.state ?? 'unknown')
  const found = feeds.filter((feed) => (family === null || familyOf(feed.route) === family) && isFound(feed))
  if (order === 'registered') return found
  found.sort(byFame)
  if (order === 'title') {
    const collator = new Intl.Collator('en', { numeric: true })
    return found.sort(({ title: one }, { title: other }) => collator.compare(one, other))
  }
  if (order === 'newest') return found.sort((one, other) => other.updated_at - one.updated_at)
  if (order === 'status') return found.sort((one, other) => urgencyOf(one) - urgencyOf(other))
  return found
}

const fame = new Map(bestKnown.map((feedId, index) => [feedId, index]))

/** The best known feeds first, then the others by id, so that the order is the same on every server of a chain. */
function byFame({ feed_id: one }: FeedReading, { feed_id: other }: FeedReading): number {
  const order = (fame.get(one) ?? fame.size) - (fame.get(other) ?? fame.size)
  return order === 0 ? Number(one > other) - Number(one < other) : order
}

/** Counts the feeds of each family, the largest first. */
export function countFamilies(feeds: readonly FeedReading[]): [family: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { route } of feeds) {
    const family = familyOf(route)
    counts.set(family, (counts.get(family) ?? 0) + 1)
  }
  return [...counts].sort(([, one], [, other]) => other - one)
}
