import type { FeedConfig } from '../../../src/agent/feeds/feedConfig.ts'
import {
  answerEia,
  type EiaAnswer,
  type EiaApi,
  pathBelowV2,
  type UpstreamDataset,
} from '../../../src/demo/answerEia.ts'
import { encodePeriod } from '../../../src/eia/period.ts'
import { hashSource } from '../../../src/eia/sourceHash.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Begins two days before the clocks in America go back. */
export const START_MS = Date.UTC(2026, 9, 30)

/** A row as EIA publishes it now. */
export interface ModelRow {
  readonly period: string
  /** As on chain. */
  readonly integer: number
  value: string | null
  /** Whether it came as the newest row and always had a number: then the agent has no reason to leave it out. */
  isOwed: boolean
}

/** A series of the invented EIA. */
export interface ModelFeed {
  /** As the operator last wrote it. */
  config: FeedConfig
  /** What its rows state; null for none. */
  unit: string | null
  /** Oldest first. */
  readonly rows: ModelRow[]
  /** Rows that EIA has skipped, to be published later. */
  readonly skipped: ModelRow[]
  /** Whether its periods are those of these days, and so cannot come before they are over. */
  readonly isLive: boolean
  /** Start of the next period, in epoch milliseconds. */
  nextMs: number
}

interface Kind {
  name: string
  frequency: FeedConfig['frequency']
  lookBack: number
  /** The start of its first row where its releases are not those of these days: they come more often than its periods. */
  from?: number
  isWeekdaysOnly?: boolean
  isUnitless?: boolean
  /** A route whose releases the agent waits for; none of these days brings the period that is expected. @default invented */
  route?: string
  /** Shares a dataset with the feed before. */
  isSibling?: boolean
}

const FIRST_ROWS = 30
const past = Date.UTC

/** How long after its start a period of these days is over. */
const lengthOf = ({ frequency }: Pick<Kind, 'frequency'>): number =>
  frequency === 'daily' ? DAY_MS : HOUR_MS

const kinds: readonly Kind[] = [
  { name: 'DEMAND.EAST', frequency: 'hourly', lookBack: 6 },
  { name: 'FUEL.MIX', frequency: 'local-hourly', lookBack: 3 },
  { name: 'SPOT.PRICE', frequency: 'daily', lookBack: 4, isWeekdaysOnly: true },
  { name: 'OUTAGES', frequency: 'daily', lookBack: 0, isUnitless: true },
  { name: 'STOCKS', frequency: 'weekly', lookBack: 2, from: past(2021, 0, 1), route: 'petroleum/stoc/wstk' },
  { name: 'SUPPLIED', frequency: 'four-week-average', lookBack: 0, from: past(2021, 0, 1) },
  { name: 'PRODUCTION', frequency: 'monthly', lookBack: 3, from: past(2015, 0, 1) },
  { name: 'SALES', frequency: 'monthly', lookBack: 0, from: past(2015, 0, 1), isSibling: true },
  { name: 'BALANCE', frequency: 'quarterly', lookBack: 2, from: past(2000, 0, 1) },
  { name: 'RESERVES', frequency: 'annual', lookBack: 1, from: past(1960, 0, 1) },
]

/** Whether a row has a number that the chain can hold. */
export const isNumber = (row: ModelRow): boolean => row.value !== null && /^\d+\.\d+$/.test(row.value)

/** What the chain holds of a row once it is attested. */
export function attestationOf({ config, unit }: ModelFeed, { period, value }: ModelRow) {
  const [whole = '', fraction = ''] = (value ?? '').split('.')
  const { route, frequency, facets, decimals } = config
  const source = { route, frequency, facets, period, value: value ?? '', unit: unit ?? config.unit }
  return { amount: BigInt(whole + fraction.padEnd(decimals, '0')), source_hash: hashSource(source) }
}

/** The start of the period after the one that starts then. */
function startAfter({ config: { frequency } }: ModelFeed, isWeekdaysOnly: boolean, startMs: number): number {
  const date = new Date(startMs)
  const months = { monthly: 1, quarterly: 3, annual: 12 }[frequency as string] ?? 0
  if (months > 0) return date.setUTCMonth(date.getUTCMonth() + months)
  if (frequency === 'hourly' || frequency === 'local-hourly') return startMs + HOUR_MS
  if (frequency !== 'daily') return startMs + 7 * DAY_MS
  do date.setTime(date.getTime() + DAY_MS)
  while (isWeekdaysOnly && [0, 6].includes(date.getUTCDay()))
  return date.getTime()
}

/** The clocks went back on 1 November 2026, at six in the morning of UTC. */
const offsetOf = (startMs: number): number => (startMs < Date.UTC(2026, 10, 1, 6) ? -4 : -5)

function periodText(frequency: FeedConfig['frequency'], startMs: number): string {
  const iso = new Date(startMs).toISOString()
  if (frequency === 'annual') return iso.slice(0, 4)
  if (frequency === 'quarterly') return `${iso.slice(0, 4)}-Q${(Number(iso.slice(5, 7)) + 2) / 3}`
  if (frequency === 'monthly') return iso.slice(0, 7)
  if (frequency === 'hourly') return iso.slice(0, 13)
  if (frequency !== 'local-hourly') return iso.slice(0, 10)
  const hours = offsetOf(startMs)
  return `${new Date(startMs + hours * HOUR_MS).toISOString().slice(0, 13)}-0${-hours}`
}

/** When a feed's next period can be published at the earliest; null for at any time. */
export const overAt = ({ isLive, nextMs, config }: ModelFeed): number | null =>
  isLive ? nextMs + lengthOf(config) : null

/** The invented EIA: its series, how they change, and what its API answers. */
export interface EiaModel {
  readonly feeds: readonly ModelFeed[]
  /** Publishes the next period of a feed. Returns what happened, in words. */
  release(feed: ModelFeed): string
  /** Changes one of the feed's newest values, or gives a withheld one a number. */
  revise(feed: ModelFeed): string
  /** States another unit in all rows of a feed. */
  changeUnit(feed: ModelFeed): string
  /** Mends the last mistakes. */
  settle(): void
  answer(url: URL): EiaAnswer
}

const words = ['W', 'NA', '--', null, 'NaN', '1,234.5', '-12.5'] as const

/** Creates an EIA with some history; its series are the same for a seed. */
export function createEiaModel(random: () => number): EiaModel {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const number = (): string => (random() * 1_000).toFixed(1 + Math.floor(random() * 3))
  const inventValue = (): string | null => (random() < 0.06 ? (pick(words) ?? null) : number())

  const nextRow = (feed: ModelFeed, kind: Kind, value: string | null): ModelRow => {
    const { frequency } = feed.config
    const period = periodText(frequency, feed.nextMs)
    feed.nextMs = startAfter(feed, kind.isWeekdaysOnly ?? false, feed.nextMs)
    const row = { period, integer: encodePeriod(frequency, period), value, isOwed: false }
    row.isOwed = isNumber(row)
    return row
  }

  const byFeed = new Map<ModelFeed, Kind>()
  const feeds = kinds.map((kind, index) => {
    const feed = createFeed(kind, kinds[kind.isSibling ? index - 1 : index] ?? kind)
    while (feed.isLive ? feed.nextMs + 2 * lengthOf(kind) < START_MS : feed.rows.length < FIRST_ROWS)
      feed.rows.push(nextRow(feed, kind, number()))
    byFeed.set(feed, kind)
    return feed
  })

  function insert({ rows }: ModelFeed, row: ModelRow): void {
    rows.push(row)
    rows.sort((a, b) => a.integer - b.integer)
  }

  return {
    feeds,
    release(feed) {
      const kind = byFeed.get(feed)
      if (kind === undefined) throw new Error('no feed of this model')
      const late = random() < 0.4 ? feed.skipped.shift() : undefined
      if (late !== undefined) insert(feed, late)
      const row = nextRow(feed, kind, inventValue())
      if (random() < 0.04) {
        feed.skipped.push({ ...row, isOwed: false })
        return `skips ${row.period}`
      }
      feed.rows.push(row)
      const besides = late === undefined ? '' : `, and ${late.period} of before`
      return `publishes ${row.period}: ${row.value}${besides}`
    },
    revise(feed) {
      const row = pick(feed.rows.slice(-2 - (feed.config.look_back ?? 0)))
      if (row === undefined) return ''
      row.value = random() < 0.05 ? (pick(words) ?? null) : number()
      row.isOwed &&= isNumber(row)
      return `revises ${row.period}: ${row.value}`
    },
    changeUnit(feed) {
      if (feed.unit === null) return 'states no unit still'
      feed.unit = `${feed.unit.split(' ')[0]} ${Math.floor(random() * 1_000)}`
      return `states the unit ${feed.unit}`
    },
    settle() {
      for (const row of feeds.flatMap(({ rows }) => rows))
        if (row.value === 'NaN' || row.value === '1,234.5') row.value = number()
    },
    answer: (url) => answerEia(apiOf(feeds, url), url),
  }
}

function createFeed(kind: Kind, { name: dataset }: Kind): ModelFeed {
  const { name, frequency, lookBack, route } = kind
  const unit = kind.isUnitless ? null : 'units'
  return {
    config: {
      feed_id: `EIA.${name}`,
      title: name,
      description: `What EIA tells of ${name}`,
      source: 'EIA',
      route: route ?? `invented/${dataset.toLowerCase().replaceAll('.', '-')}`,
      frequency,
      column: 'value',
      facets: { series: name },
      unit: 'things',
      decimals: 4,
      look_back: lookBack,
      ...(unit === null ? {} : { upstream_unit: unit }),
    },
    unit,
    rows: [],
    skipped: [],
    isLive: kind.from === undefined,
    nextMs: kind.from ?? START_MS - (FIRST_ROWS + 1) * lengthOf(kind),
  }
}

/** What answers requests about the dataset that is asked for, as it is now. */
function apiOf(feeds: readonly ModelFeed[], url: URL): EiaApi {
  const route = pathBelowV2(url).replace(/\/data$/, '')
  const of = feeds.filter(({ config }) => config.route === route)
  const datasets = new Map([[route, datasetOf(route, of)]])
  return { datasets, rows: new Map([[route, of.flatMap(rowsOf)]]), apiKey: null, maxRows: 5_000 }
}

const rowsOf = ({ config, rows, unit }: ModelFeed) =>
  rows.toReversed().map(({ period, value }) => ({
    period,
    ...config.facets,
    value,
    ...(unit === null ? {} : { 'value-units': unit }),
  }))

function datasetOf(route: string, [feed]: readonly ModelFeed[]): UpstreamDataset {
  const frequency = feed?.config.frequency ?? ''
  const about = { dateFormat: '', frequency, data: [], description: '' }
  const metadata = {
    frequency: [{ id: frequency }],
    facets: [{ id: 'series' }],
    data: { value: {} },
    defaultFrequency: frequency,
  }
  return { route, metadata: { response: metadata }, facets: {}, data: { response: about } }
}
