import { encodePeriod, lengthOfPeriod } from '@wattfeed/eia'
import {
  answerEia,
  type EiaApi,
  pathBelowV2,
  type UpstreamDataset,
} from '../../../packages/eia/src/answerEia.ts'
import type { EiaAnswer } from '../../../packages/eia/src/api/eiaRefusals.ts'
import { hashSource } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import type { Feed } from '../../../packages/wattfeed/src/registry/feed.ts'
import { feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import type { Chance } from './chance.ts'
import {
  endOf,
  type FeedKind,
  facetsOf,
  feedKinds,
  firstStart,
  isHistory,
  periodText,
  releaseOf,
  routeOf,
  startAfter,
} from './feedKinds.ts'
import { DAY_MS } from './world.ts'

/** A row in its currently published form. */
export interface ModelRow {
  readonly period: string
  /** In the chain's format. */
  readonly integer: number
  /** In epoch milliseconds. */
  readonly startMs: number
  value: string | null
  /** Whether it has had a number since it appeared, in time. Then the agent has no reason to omit it. */
  isOwed: boolean
  /** Whether it appeared after a later one. */
  isLate: boolean
}

/** A series of the invented EIA. */
export interface ModelFeed {
  /** The registered feed, with the unit that the operator wrote last. */
  config: SeriesConfig
  /** The feed at its registration. */
  readonly onChain: Feed
  /** The series that the operator wrote into the feeds file by mistake. */
  edits: Partial<SeriesConfig>
  /** The unit in its rows; null for none. */
  unit: string | null
  /** Oldest first. */
  readonly rows: ModelRow[]
  /** Rows that EIA has skipped and publishes later. */
  readonly skipped: ModelRow[]
  /** Rows that EIA shows by mistake: of an unfinished period, or a second one of the newest period. */
  mistakes: ModelRow[]
  /** Since when, in epoch milliseconds. */
  mistakenMs: number
  /** Whether another program has attested its newest value within the last hours. */
  isDoubledElsewhere: boolean
  /** Number of requests for it. */
  asked: number
  /** The row of the latest period that it has ever shown. */
  furthest: ModelRow | null
  /** Prints of all rows that EIA has ever shown. */
  readonly shown: Set<string>
  /** Start of the next period, in epoch milliseconds. */
  nextMs: number
  /** A row that was revised while the newest one had no number, and the period of that. */
  revisedBehind: { row: ModelRow; newest: number } | null
}

/** Number of a feed's rows that EIA retains: enough to cover a stop of EIA followed by a low balance. */
const MOST_ROWS = 1_000
/** Time between two due releases of a feed. */
const SOON_MS = 1_000
/** Maximum number of periods behind the newest at which a row is still found: slightly less than the agent's limit. */
const MOST_BEHIND = 50

/** Whether a row has a number that the chain can hold. */
export const isNumber = (row: ModelRow): boolean => row.value !== null && /^\d+\.\d+$/.test(row.value)

/** The chain's form of a row, once it is attested. */
export function attestationOf({ config, unit }: ModelFeed, { period, value }: ModelRow) {
  const [whole = '', fraction = ''] = (value ?? '').split('.')
  const { route, frequency, facets, decimals } = config
  const source = { route, frequency, facets, period, value: value ?? '', unit: unit ?? config.unit }
  return { amount: BigInt(whole + fraction.padEnd(decimals, '0')), source_hash: hashSource(source) }
}

/** Identifies one value of a feed. */
export const printOf = (value: { period: number; amount: bigint; source_hash: string }): string =>
  `${value.period} ${value.amount} ${value.source_hash}`

/** A mistake that EIA makes for some time. */
export type Mistake = 'current' | 'next' | 'far' | 'far null' | 'same twice' | 'two values'

export const mistakes: readonly Mistake[] = ['current', 'next', 'far', 'far null', 'same twice', 'two values']

/** The invented EIA: its series, their changes, and the answers of its API. */
export interface EiaModel {
  readonly feeds: readonly ModelFeed[]
  /** Returns when EIA publishes the next period of a feed, in epoch milliseconds. */
  nextRelease(feed: ModelFeed, nowMs: number): number
  /** Publishes the next period of a feed. Returns a description of the event. */
  release(feed: ModelFeed): string
  /** Changes one of the feed's newest values, or gives a withheld one a number. */
  revise(feed: ModelFeed): string
  /** Removes the number of the newest row, and revises the last row that `look_back` compares. */
  withdraw(feed: ModelFeed): string
  /** Makes a mistake in a feed, until {@link mend}. Returns a description of the event. */
  mistake(feed: ModelFeed, kind: Mistake, nowMs: number): string
  /** Ends the mistakes in a feed. */
  mend(feed: ModelFeed): void
  /** Changes the unit in all rows of a feed. */
  changeUnit(feed: ModelFeed): string
  /** Ends the last mistakes. */
  settle(): void
  answer(url: URL): EiaAnswer
}

const words = ['W', 'NA', '--', null, 'NaN', '1,234.5', '-12.5'] as const

/** Creates an EIA with some history. The same seed gives the same series. */
export function createEiaModel(chance: Chance): EiaModel {
  const { pick, happens } = chance
  const number = (): string => chance.between(0, 1_000).toFixed(1 + Math.floor(chance.between(0, 3)))
  const inventValue = (): string | null => (happens(0.06) ? pick(words) : number())
  const kinds = new Map<ModelFeed, FeedKind>()
  const kindOf = (feed: ModelFeed): FeedKind => kinds.get(feed) ?? pick([])

  function rowAt({ config }: ModelFeed, startMs: number, value: string | null): ModelRow {
    const period = periodText(config.frequency, startMs)
    const integer = encodePeriod(config.frequency, period)
    const row = { period, integer, startMs, value, isOwed: false, isLate: false }
    return { ...row, isOwed: isNumber(row) }
  }

  function nextRow(feed: ModelFeed, value: string | null): ModelRow {
    const row = rowAt(feed, feed.nextMs, value)
    feed.nextMs = startAfter(kindOf(feed), feed.nextMs)
    return row
  }

  function publish(feed: ModelFeed, row: ModelRow): void {
    const { furthest } = feed
    const isLate = furthest !== null && row.integer < furthest.integer
    const isFound = !isLate || furthest.startMs - row.startMs < MOST_BEHIND * shortestMs(feed)
    const published = { ...row, isLate, isOwed: row.isOwed && isFound }
    feed.rows.push(published)
    feed.rows.sort((a, b) => a.integer - b.integer)
    feed.mistakes = feed.mistakes.filter(({ integer }) => integer !== row.integer)
    // It may have moved the row out of what `look_back` compares.
    if (isLate) feed.revisedBehind = null
    show(feed, [published])
  }

  const feeds = feedKinds.map((kind) => {
    const feed = createFeed(kind)
    kinds.set(feed, kind)
    while (isHistory(kind, feed.nextMs)) feed.rows.push(nextRow(feed, number()))
    const newest = feed.rows.at(-1)
    if (kind.beginsWithheld && newest !== undefined) Object.assign(newest, { value: null, isOwed: false })
    show(feed, feed.rows)
    return feed
  })

  return {
    feeds,
    nextRelease: (feed, nowMs) =>
      Math.max(releaseOf(kindOf(feed), feed.nextMs, { ...chance, nowMs }), nowMs + SOON_MS),
    release(feed) {
      const late = happens(0.4) ? feed.skipped.shift() : undefined
      if (late !== undefined) publish(feed, late)
      const row = nextRow(feed, inventValue())
      if (happens(0.04)) {
        feed.skipped.push(row)
        return `skips ${row.period}`
      }
      publish(feed, row)
      const besides = late === undefined ? '' : `, and ${late.period} of before`
      return `publishes ${row.period}: ${row.value}${besides}`
    },
    revise(feed) {
      const row = pick(feed.rows.slice(-2 - (feed.config.look_back ?? 0)))
      row.value = happens(0.05) ? pick(words) : number()
      row.isOwed &&= isNumber(row)
      if (row === feed.revisedBehind?.row) feed.revisedBehind = null
      show(feed, [row])
      return `revises ${row.period}: ${row.value}`
    },
    withdraw(feed) {
      const [behind, newest] = [feed.rows.at(-1 - (feed.config.look_back ?? 0)), feed.rows.at(-1)]
      const isFurthest = newest !== undefined && newest.integer === feed.furthest?.integer
      if (behind === undefined || behind === newest || !isFurthest) return 'removes nothing'
      Object.assign(newest, { value: null, isOwed: false })
      behind.value = number()
      feed.revisedBehind = { row: behind, newest: newest.integer }
      show(feed, [behind])
      return `removes the number of ${newest.period}, and revises ${behind.period}: ${behind.value}`
    },
    mistake(feed, kind, nowMs) {
      const newest = feed.rows.at(-1) ?? pick([])
      const value = kind === 'same twice' ? newest.value : kind === 'far null' ? null : number()
      const row = rowAt(feed, mistakenStart(kindOf(feed), kind, { nowMs, newest, chance }), value)
      if (!kind.startsWith('far') && !kind.includes('tw') && row.integer <= newest.integer) return ''
      Object.assign(feed, { mistakes: [row], mistakenMs: nowMs, revisedBehind: null })
      show(feed, [row])
      return `shows ${row.period} by mistake: ${row.value} (${kind})`
    },
    mend(feed) {
      feed.mistakes = []
    },
    changeUnit(feed) {
      if (feed.unit === null) return 'states no unit still'
      feed.unit = `${feed.unit.split(' ')[0]} ${Math.floor(chance.between(0, 1_000))}`
      show(feed, [...feed.rows.slice(-MOST_ROWS), ...feed.mistakes])
      return `states the unit ${feed.unit}`
    },
    settle() {
      for (const feed of feeds) {
        feed.mistakes = []
        for (const row of feed.rows) if (row.value === 'NaN' || row.value === '1,234.5') row.value = number()
        show(feed, feed.rows)
      }
    },
    answer: (url) => answerEia(apiOf(feeds, url), url),
  }
}

/** Returns the start of the period of a row that EIA shows by mistake. */
function mistakenStart(
  kind: FeedKind,
  mistake: Mistake,
  { nowMs, newest, chance }: { nowMs: number; newest: ModelRow; chance: Chance },
): number {
  if (mistake === 'same twice' || mistake === 'two values') return newest.startMs
  let start = newest.startMs
  while (endOf(kind, start) <= nowMs) start = startAfter(kind, start)
  if (mistake === 'current') return start
  const ahead = mistake === 'next' ? 1 : Math.ceil(chance.between(2, 40))
  for (let count = 0; count < ahead; count++) start = startAfter(kind, start)
  return start
}

/** Returns the minimum length of a feed's period, in milliseconds. */
function shortestMs({ config: { frequency } }: ModelFeed): number {
  const length = lengthOfPeriod(frequency)
  if (length === null) return Number.NaN
  return 'ms' in length ? length.ms : 28 * length.months * DAY_MS
}

/** Records the rows that EIA has just started to show. */
function show(feed: ModelFeed, rows: readonly ModelRow[]): void {
  for (const row of rows) {
    if (isNumber(row)) feed.shown.add(printOf({ period: row.integer, ...attestationOf(feed, row) }))
    if (row.integer > (feed.furthest?.integer ?? 0)) feed.furthest = row
  }
}

function createFeed(kind: FeedKind): ModelFeed {
  const { name, frequency, lookBack } = kind
  const unit = kind.isUnitless ? null : 'units'
  const config: SeriesConfig = {
    feed_id: `EIA.${name}`,
    title: name,
    description: `What EIA publishes of ${name}`,
    source: 'EIA',
    route: routeOf(kind),
    frequency,
    column: 'value',
    facets: facetsOf(kind),
    unit: 'things',
    decimals: 4,
    look_back: lookBack,
    ...(unit === null ? {} : { upstream_unit: unit }),
  }
  return {
    config,
    onChain: feedMetadata(config),
    edits: {},
    unit,
    rows: [],
    skipped: [],
    mistakes: [],
    mistakenMs: 0,
    isDoubledElsewhere: false,
    asked: 0,
    furthest: null,
    revisedBehind: null,
    shown: new Set(),
    nextMs: firstStart(kind),
  }
}

/** Returns the handler for requests about the requested dataset, with its present rows. */
function apiOf(feeds: readonly ModelFeed[], url: URL): EiaApi {
  const route = pathBelowV2(url).replace(/\/data$/, '')
  const of = feeds.filter(({ config }) => config.route === route)
  const datasets = new Map([[route, datasetOf(route, of)]])
  return { datasets, rows: new Map([[route, of.flatMap(rowsOf)]]), apiKey: null, maxRows: 5_000 }
}

function rowsOf(feed: ModelFeed) {
  const { config, mistakes, unit } = feed
  const rows = feed.rows.slice(-MOST_ROWS)
  feed.asked += 1
  // The order of two rows of one period varies.
  const shown = feed.asked % 2 === 0 ? [...rows, ...mistakes] : [...mistakes, ...rows]
  return shown.reverse().map(({ period, value }) => ({
    period,
    ...config.facets,
    value,
    ...(unit === null ? {} : { 'value-units': unit }),
  }))
}

function datasetOf(route: string, of: readonly ModelFeed[]): UpstreamDataset {
  const frequency = of[0]?.config.frequency ?? ''
  const about = { dateFormat: '', frequency, data: [], description: '' }
  const facets = new Set(of.flatMap(({ config }) => Object.keys(config.facets)))
  const metadata = {
    frequency: [{ id: frequency }],
    facets: [...facets].map((id) => ({ id })),
    data: { value: {} },
    defaultFrequency: frequency,
  }
  return { route, metadata: { response: metadata }, facets: {}, data: { response: about } }
}
