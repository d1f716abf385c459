import { WattfeedError } from '@wattfeed/base'
import { type RecentBody, type RecentFeedBody, recentFeedBody } from '../../api/schemas.ts'
import type { Snapshot } from '../../library/client/index.ts'
import type { FeedHistory } from '../../library/history/feedHistory.ts'
import { errorAnswer } from '../errorAnswer.ts'
import { createChainDataCheck } from '../http/bodyCheck.ts'
import type { HistoryWalks } from './historyWalks.ts'

type Result = RecentBody['results'][number]

/** Returns the newest periods of feeds at a snapshot, with one result per feed. */
export type RecentReader = (
  at: Snapshot,
  feedIds: readonly string[],
  periods: number,
) => Promise<readonly Result[]>

const checkRecent = createChainDataCheck(recentFeedBody)

/**
 * Reads the newest periods of feeds. Periods may be attested in any order, so the newest ones are only known once all values are.
 * Values are cached. A request reads a limited number of missing values itself, for the first feeds. The other feeds are read in
 * the background, and their results tell when to retry.
 */
export async function readNewestPeriods(
  at: Snapshot,
  feedIds: readonly string[],
  periods: number,
  {
    open,
    fill,
    maxDirectValues,
  }: {
    /** @throws {WattfeedError} when the feed is not registered, or cannot be read */
    open: (feedId: string) => Promise<FeedHistory>
    fill: HistoryWalks['fill']
    maxDirectValues: number
  },
): Promise<readonly Result[]> {
  const opened = await Promise.all(feedIds.map((feedId) => settled(feedId, () => open(feedId))))
  let left = maxDirectValues
  let total = 0
  return Promise.all(
    opened.map((feed) => {
      if ('status' in feed) return feed
      const { feedId, count } = feed
      const known = feed.known()
      const before = total
      const isDirect = count - known <= left
      if (isDirect) left -= count - known
      total += count
      return settled<Result>(feedId, async () => {
        feed.assertFits(count, before)
        return isDirect ? recentOf(at, feed, periods) : fill({ feedId, known, needed: count })
      })
    }),
  )
}

/** The last request's newest periods of each feed, by its values. */
const knownRecent = new WeakMap<object, { key: string; recent: RecentFeedBody }>()

async function recentOf(at: Snapshot, history: FeedHistory, periods: number): Promise<RecentFeedBody> {
  const { feedId, values, count } = history
  const { decimals, unit, route, frequency } = history.feed
  const key = JSON.stringify([periods, count, decimals, unit, route, frequency])
  const found = knownRecent.get(values)
  if (found?.key === key) return found.recent
  const [page, reading] = await Promise.all([
    history.page({ vintages: 'latest', order: 'desc', limit: periods }),
    at.getReading(feedId),
  ])
  const items = page.items.map(({ period, period_start, period_end, value, amount }) => ({
    period,
    period_start,
    period_end,
    value,
    amount: String(amount),
  }))
  const recent = checkRecent(
    {
      feed_id: feedId,
      status: 200,
      decimals,
      unit,
      frequency,
      count,
      updated_at: reading?.updated_at ?? null,
      items: items.reverse(),
    },
    `the newest periods of feed "${feedId}"`,
  )
  knownRecent.set(values, { key, recent })
  return recent
}

/** Returns the result of a read, or its error as a result. */
async function settled<T>(feedId: string, read: () => Promise<T>): Promise<T | Result> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof WattfeedError)) throw error
    const { status, headers, body } = errorAnswer(error)
    const retryAfterS = headers['retry-after']
    return {
      feed_id: feedId,
      status,
      error: body.error,
      retry_after_s: retryAfterS === undefined ? null : Number(retryAfterS),
    }
  }
}
