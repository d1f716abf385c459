import { WattfeedError } from '@wattfeed/base'
import type { Snapshot } from 'wattfeed'
import type { FeedHistory } from 'wattfeed/history'
import { type RecentBody, type RecentFeedBody, recentFeedBody } from '../../api/schemas.ts'
import { errorAnswer } from '../errorAnswer.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import type { HistoryWalks } from './historyWalks.ts'

type Result = RecentBody['results'][number]

/** Returns the newest periods of feeds at a snapshot, with one result per feed. */
export type NewestPeriodsReader = (
  at: Snapshot,
  feedIds: readonly string[],
  periods: number,
) => Promise<readonly Result[]>

const checkRecent = createBodyCheck(recentFeedBody, ChainDataError)

/**
 * Creates a reader of newest periods. Periods may be attested in any order, so the newest ones are only known once all values are.
 * Values are cached. A request reads a limited number of missing values itself, for the first feeds. The other feeds are read in
 * the background, and their results tell when to retry.
 */
export function createNewestPeriods({
  open,
  fill,
  maxDirectValues,
}: {
  /** @throws {WattfeedError} when the feed is not registered, or cannot be read */
  open: (at: Snapshot, feedId: string) => Promise<FeedHistory>
  fill: HistoryWalks['fill']
  maxDirectValues: number
}): NewestPeriodsReader {
  /** The last request's newest periods of each feed, by its values. */
  const known = new WeakMap<object, { key: string; body: RecentFeedBody }>()

  async function readOnce(at: Snapshot, history: FeedHistory, periods: number): Promise<RecentFeedBody> {
    const { decimals, unit, route, frequency } = history.feed
    const key = JSON.stringify([periods, history.count, decimals, unit, route, frequency])
    const found = known.get(history.values)
    if (found?.key === key) return found.body
    const body = await readPeriods(at, history, periods)
    known.set(history.values, { key, body })
    return body
  }

  return async (at, feedIds, periods) => {
    const opened = await Promise.all(feedIds.map((feedId) => asResult(feedId, () => open(at, feedId))))
    return Promise.all(
      planReads(opened, maxDirectValues).map((read) => {
        if ('status' in read) return read
        const { feed, before, isDirect } = read
        const { feedId, count } = feed
        return asResult<Result>(feedId, async () => {
          feed.assertFits(count, before)
          return isDirect ? readOnce(at, feed, periods) : fill({ feedId, known: feed.known(), needed: count })
        })
      }),
    )
  }
}

interface FeedRead {
  readonly feed: FeedHistory
  /** Number of values of the feeds before it. */
  readonly before: number
  /** Whether the request reads its missing values itself. */
  readonly isDirect: boolean
}

/** Plans the read of each feed. A feed that could not be opened keeps its result. */
function planReads(
  opened: readonly (FeedHistory | Result)[],
  maxDirectValues: number,
): (FeedRead | Result)[] {
  const reads: (FeedRead | Result)[] = []
  let left = maxDirectValues
  let before = 0
  for (const feed of opened) {
    if ('status' in feed) {
      reads.push(feed)
      continue
    }
    const missing = feed.count - feed.known()
    const isDirect = missing <= left
    if (isDirect) left -= missing
    reads.push({ feed, before, isDirect })
    before += feed.count
  }
  return reads
}

async function readPeriods(at: Snapshot, history: FeedHistory, periods: number): Promise<RecentFeedBody> {
  const { feedId, count } = history
  const { decimals, unit, frequency } = history.feed
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
  return checkRecent(
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
}

/** Returns the result of a read, or its error as a result. */
async function asResult<T>(feedId: string, read: () => Promise<T>): Promise<T | Result> {
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
