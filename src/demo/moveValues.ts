import type { SeriesConfig } from '../feeds/file/feedConfig.ts'
import { eiaRowsOf, isReleaseDue, releaseRows } from './standIn/releaseRows.ts'
import { revised } from './standIn/revised.ts'
import type { Upstream } from './standIn/upstream.ts'

/** In every how many turns a feed of a frequency is revised. */
const turnsApart: Readonly<Record<string, number>> = {
  hourly: 1,
  daily: 5,
  weekly: 20,
  monthly: 60,
  annual: 400,
}

export interface Turn {
  index: number
  now: number
  random: () => number
}

/** Releases the values that are due by EIA's calendar, and revises the newest ones of some feeds. */
export function moveValues(
  upstream: Upstream,
  feeds: readonly SeriesConfig[],
  { index, now, random }: Turn,
): void {
  const due = feeds.filter((feed) => isReleaseDue(upstream, feed, now))
  releaseRows(upstream, due, now)
  for (const feed of feedsOfTurn(feeds, index)) reviseNewest(upstream, feed, random)
}

/** Returns the feeds that are revised in a turn: at most one of each frequency, hourly ones most often, as EIA does. */
export function feedsOfTurn<Each extends Pick<SeriesConfig, 'frequency'>>(
  feeds: readonly Each[],
  index: number,
): Each[] {
  return Object.entries(turnsApart).flatMap(([frequency, apart]) => {
    const all = feeds.filter((feed) => feed.frequency === frequency)
    // The rarer frequencies wait for their first turn.
    const isTurn = index % apart === apart - 1
    return isTurn ? all.slice(Math.floor(index / apart) % all.length).slice(0, 1) : []
  })
}

/** Changes the newest value of a feed slightly, like a revision by EIA. */
export function reviseNewest(upstream: Upstream, feed: SeriesConfig, random: () => number): void {
  const [row] = eiaRowsOf(upstream, feed)
  if (row !== undefined) upstream.setRow(feed, { period: row.period, value: revised(row, random) })
}
