import { type FeedConfig, feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import {
  answerEia,
  type EiaAnswer,
  type EiaApi,
  pathBelowV2,
  type UpstreamDataset,
} from '../../../src/demo/answerEia.ts'
import { encodePeriod, lengthOfPeriod } from '../../../src/eia/period.ts'
import { hashSource } from '../../../src/eia/sourceHash.ts'
import type { Feed } from '../../../src/registry/feed.ts'
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

/** A row as EIA publishes it now. */
export interface ModelRow {
  readonly period: string
  /** As on chain. */
  readonly integer: number
  /** In epoch milliseconds. */
  readonly startMs: number
  value: string | null
  /** Whether it always had a number since it came, not too late: then the agent has no reason to leave it out. */
  isOwed: boolean
  /** Whether it came behind a later one. */
  isLate: boolean
}

/** A series of the invented EIA. */
export interface ModelFeed {
  /** As the feed is registered, with the unit that the operator last wrote. */
  config: FeedConfig
  /** What was registered. */
  readonly onChain: Feed
  /** What the operator wrote into the feeds file by mistake. */
  edits: Partial<FeedConfig>
  /** What its rows state; null for none. */
  unit: string | null
  /** Oldest first. */
  readonly rows: ModelRow[]
  /** Rows that EIA has skipped, to be published later. */
  readonly skipped: ModelRow[]
  /** Rows that EIA shows by mistake: of a period that is not over, or a second one of the newest. */
  mistakes: ModelRow[]
  /** Since when, in epoch milliseconds. */
  mistakenMs: number
  /** Whether another program has attested its newest value within the last hours. */
  isDoubledElsewhere: boolean
  /** How often it was asked for. */
  asked: number
  /** The row of the latest period that it ever showed. */
  furthest: ModelRow | null
  /** Prints of all that EIA has ever shown. */
  readonly shown: Set<string>
  /** Start of the next period, in epoch milliseconds. */
  nextMs: number
}

/** How many of a feed's rows EIA still has: more than come while EIA publishes nothing and then the balance is low. */
const MOST_ROWS = 1_000
/** Between two releases of a feed that are due. */
const SOON_MS = 1_000
/** How many periods behind the newest a row may come and still be found: a little less than the agent's limit. */
const MOST_BEHIND = 50

/** Whether a row has a number that the chain can hold. */
export const isNumber = (row: ModelRow): boolean => row.value !== null && /^\d+\.\d+$/.test(row.value)

/** What the chain holds of a row once it is attested. */
export function attestationOf({ config, unit }: ModelFeed, { period, value }: ModelRow) {
  const [whole = '', fraction = ''] = (value ?? '').split('.')
  const { route, frequency, facets, decimals } = config
  const source = { route, frequency, facets, period, value: value ?? '', unit: unit ?? config.unit }
  return { amount: BigInt(whole + fraction.padEnd(decimals, '0')), source_hash: hashSource(source) }
}

/** What tells one value of a feed from every other. */
export const printOf = (value: { period: number; amount: bigint; source_hash: string }): string =>
  `${value.period} ${value.amount} ${value.source_hash}`

/** A mistake that EIA makes for some time. */
export type Mistake = 'current' | 'next' | 'far' | 'far null' | 'same twice' | 'two values'

export const mistakes: readonly Mistake[] = ['current', 'next', 'far', 'far null', 'same twice', 'two values']

/** The invented EIA: its series, how they change, and what its API answers. */
export interface EiaModel {
  readonly feeds: readonly ModelFeed[]
  /** Returns when EIA publishes the next period of a feed, in epoch milliseconds. */
  nextRelease(feed: ModelFeed, nowMs: number): number
  /** Publishes the next period of a feed. Returns what happened, in words. */
  release(feed: ModelFeed): string
  /** Changes one of the feed's newest values, or gives a withheld one a number. */
  revise(feed: ModelFeed): string
  /** Makes a mistake in a feed, until {@link mend}. Returns what happened, in words. */
  mistake(feed: ModelFeed, kind: Mistake, nowMs: number): string
  /** Ends the mistakes in a feed. */
  mend(feed: ModelFeed): void
  /** States another unit in all rows of a feed. */
  changeUnit(feed: ModelFeed): string
  /** Mends the last mistakes. */
  settle(): void
  answer(url: URL): EiaAnswer
}

const words = ['W', 'NA', '--', null, 'NaN', '1,234.5', '-12.5'] as const

/** Creates an EIA with some history; its series are the same for a seed. */
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
      show(feed, [row])
      return `revises ${row.period}: ${row.value}`
    },
    mistake(feed, kind, nowMs) {
      const newest = feed.rows.at(-1) ?? pick([])
      const value = kind === 'same twice' ? newest.value : kind === 'far null' ? null : number()
      const row = rowAt(feed, mistakenStart(kindOf(feed), kind, { nowMs, newest, chance }), value)
      if (!kind.startsWith('far') && !kind.includes('tw') && row.integer <= newest.integer) return ''
      Object.assign(feed, { mistakes: [row], mistakenMs: nowMs })
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

/** The start of the period of a row that EIA shows by mistake. */
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

/** How long a period of a feed is at least, in milliseconds. */
function shortestMs({ config: { frequency } }: ModelFeed): number {
  const length = lengthOfPeriod(frequency)
  if (length === null) return Number.NaN
  return 'ms' in length ? length.ms : 28 * length.months * DAY_MS
}

/** Remembers rows that EIA has begun to show. */
function show(feed: ModelFeed, rows: readonly ModelRow[]): void {
  for (const row of rows) {
    if (isNumber(row)) feed.shown.add(printOf({ period: row.integer, ...attestationOf(feed, row) }))
    if (row.integer > (feed.furthest?.integer ?? 0)) feed.furthest = row
  }
}

function createFeed(kind: FeedKind): ModelFeed {
  const { name, frequency, lookBack } = kind
  const unit = kind.isUnitless ? null : 'units'
  const config: FeedConfig = {
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
    shown: new Set(),
    nextMs: firstStart(kind),
  }
}

/** What answers requests about the dataset that is asked for, as it is now. */
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
  // Two rows of a period come now in this order, now in that.
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
