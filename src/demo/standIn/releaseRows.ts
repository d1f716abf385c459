import { type EiaRow, selectRows } from '@wattfeed/eia'
import type { SeriesConfig } from '../../feeds/file/feedConfig.ts'
import { type InventedRow, inventPast } from './inventPast.ts'
import { randomOf } from './random.ts'
import { findReleases } from './releases.ts'
import { revised } from './revised.ts'
import type { Upstream } from './upstream.ts'

/**
 * Makes each feed's source end with the period that EIA has released last, and invents the missing rows before it. Later
 * rows are removed: otherwise a release would be planned whose value is on chain already.
 *
 * @param now epoch milliseconds
 */
export function releaseRows(upstream: Upstream, feeds: readonly SeriesConfig[], now: number): void {
  // All rows are found before any is added, because some feeds share the rows of a source.
  const released = feeds.map((feed) => ({ feed, row: newestReleased(feed, eiaRowsOf(upstream, feed), now) }))
  for (const { feed, row } of released) {
    upstream.setRow(feed, row)
    upstream.keepPeriods(feed, (period) => period <= row.period)
  }
  const invented = feeds.map((feed) => ({
    feed,
    rows: inventPast(feed, eiaRowsOf(upstream, feed), (period) => randomOf(`${feed.feed_id} ${period}`)),
  }))
  for (const { feed, rows } of invented) for (const row of rows) upstream.setRow(feed, row)
}

/** Returns whether EIA has released a period after the newest of a feed's source. */
export function isReleaseDue(upstream: Upstream, feed: SeriesConfig, now: number): boolean {
  const period = upstream.listRows(feed)[0]?.period
  return typeof period === 'string' && findReleases(feed, period).newestAt(now) > period
}

/** Returns the rows of a feed's source, newest first, as the agent reads them from an answer. Here the answer is made up. */
export const eiaRowsOf = (upstream: Upstream, feed: SeriesConfig): EiaRow[] =>
  selectRows({ rows: upstream.listRows(feed), total: null, status: 200 }, feed).rows

/** Returns the row that EIA has released last: the known one, or an invented one near the closest known one. */
function newestReleased(feed: SeriesConfig, rows: readonly EiaRow[], now: number): InventedRow {
  const oldest = rows.at(-1)
  if (oldest === undefined) throw new Error(`the stand-in for EIA has no rows of ${feed.feed_id}`)
  const period = findReleases(feed, oldest.period).newestAt(now)
  const closest = rows.find((row) => row.period <= period) ?? oldest
  const value = closest.period === period ? closest.value : null
  return { period, value: value ?? revised(closest, randomOf(`${feed.feed_id} ${period} release`)) }
}
