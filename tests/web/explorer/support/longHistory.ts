import type { Page } from 'playwright-core'
import type { HistoryItem } from '../../../../src/web/explorer/data/feedHistory.ts'

const HOUR_MS = 3_600_000
const START_S = Date.UTC(2015, 6, 1) / 1000

/** A history of invented hourly values, the newest first; every tenth was revised an hour later. */
export function longHistory(count: number): HistoryItem[] {
  const items: HistoryItem[] = []
  for (let hour = 0; items.length < count; hour++) {
    items.push(itemOf(items.length, hour, 0))
    if (hour % 10 === 0 && items.length < count) items.push(itemOf(items.length, hour, 1))
  }
  return items.reverse()
}

function itemOf(index: number, hour: number, revision: number): HistoryItem {
  const period = START_S + hour * 3600
  const value =
    Math.round(1e3 * (80 + 20 * Math.sin(hour / 1_000) + 10 * Math.sin(hour / 4) + revision)) / 1e3
  return {
    index,
    period,
    period_start: new Date(period * 1000 - HOUR_MS).toISOString().replace('.000', ''),
    period_end: new Date(period * 1000).toISOString().replace('.000', ''),
    value,
    amount: String(Math.round(value * 1e6)),
    revision,
    source_hash: index.toString(16).padStart(32, '0'),
    attester: `account-hash-${'ab'.repeat(32)}`,
    attested_at: period * 1000 + (revision + 1) * HOUR_MS,
  }
}

/** Answers for a feed's history in the server's place, page by page. Returns the queries that were asked. */
export async function serveHistory(
  page: Page,
  feedId: string,
  items: readonly HistoryItem[],
): Promise<string[]> {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}/history`
  const asked: string[] = []
  await page.route(
    (url) => url.pathname === path,
    (route) => {
      const { search, searchParams } = new URL(route.request().url())
      asked.push(search)
      const from = searchParams.get('from')
      const found =
        from === null
          ? items.filter(({ index }) => index < Number(searchParams.get('after') ?? Number.POSITIVE_INFINITY))
          : items.filter(({ index }) => index >= Number(from)).toReversed()
      const shown = found.slice(0, Number(searchParams.get('limit')))
      const after = `${path}?${from === null ? 'order=desc&' : ''}limit=${shown.length}&after=${shown.at(-1)?.index}`
      const next = shown.length < found.length ? after : null
      return route.fulfill({
        json: {
          ...{ feed_id: feedId, decimals: 6, unit: 'MW', frequency: 'hourly' },
          ...{ count: items.length, items: shown, next, permalink: '' },
        },
      })
    },
  )
  return asked
}
