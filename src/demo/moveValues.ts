import type { SeriesConfig } from '../feeds/file/feedConfig.ts'
import { eiaRowsOf, isReleaseDue, releaseRows } from './standIn/releaseRows.ts'
import { revised } from './standIn/revised.ts'
import type { Upstream } from './standIn/upstream.ts'

/** In every how many turns a feed of a frequency is revised. */
export type TurnsApart = Readonly<Record<string, number>>

const turnsApart: TurnsApart = { hourly: 1, daily: 5, weekly: 20, monthly: 60, annual: 400 }

/** Those of a committee, whose turns are longer. A dataset has the weekly values, so that its root changes every few minutes. */
export const committeeTurns: TurnsApart = { ...turnsApart, weekly: 2 }

export interface Turn {
  index: number
  now: number
  random: () => number
  /** @default those of an agent that signs alone */
  apart?: TurnsApart
}

/** Releases the values that are due by EIA's calendar, and revises the newest ones of some feeds. */
export function moveValues(
  upstream: Upstream,
  feeds: readonly SeriesConfig[],
  { index, now, random, apart }: Turn,
): void {
  const due = feeds.filter((feed) => isReleaseDue(upstream, feed, now))
  releaseRows(upstream, due, now)
  for (const feed of feedsOfTurn(feeds, index, apart)) reviseNewest(upstream, feed, random)
}

/** Returns the feeds that are revised in a turn: at most one of each frequency, hourly ones most often, as EIA does. */
export function feedsOfTurn<Each extends Pick<SeriesConfig, 'frequency'>>(
  feeds: readonly Each[],
  index: number,
  apart: TurnsApart = turnsApart,
): Each[] {
  return Object.entries(apart).flatMap(([frequency, turns]) => {
    const all = feeds.filter((feed) => feed.frequency === frequency)
    // The rarer frequencies wait for their first turn.
    const isTurn = index % turns === turns - 1
    return isTurn ? all.slice(Math.floor(index / turns) % all.length).slice(0, 1) : []
  })
}

/** Changes the newest value of a feed slightly, like a revision by EIA. */
export function reviseNewest(upstream: Upstream, feed: SeriesConfig, random: () => number): void {
  const [row] = eiaRowsOf(upstream, feed)
  if (row !== undefined) upstream.setRow(feed, { period: row.period, value: revised(row, random) })
}
