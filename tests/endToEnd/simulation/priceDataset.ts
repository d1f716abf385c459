import { encodePeriod, isWorkday } from '@wattfeed/eia'
import { answerEia, pathBelowV2, type UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import type { EiaAnswer } from '../../../packages/eia/src/api/eiaRefusals.ts'
import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import { type DatasetConfig, feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { statusOf } from '../../../src/feeds/status/feedStatus.ts'
import { rootOf, spotRow } from '../../agent/datasets/datasetApi.ts'
import type { Chance } from './chance.ts'
import { START_MS } from './feedKinds.ts'
import { pause } from './network.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from './world.ts'

const PERIODS = 5

/** The feed of a whole dataset with prices of workdays. */
export const priceDataset: DatasetConfig = {
  feed_id: 'EIA.DATASET.PETROLEUM.PRI.SPT.DAILY',
  title: 'Prices',
  description: 'Every price.',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  dataset: { columns: ['value'], periods: PERIODS },
  unit: 'values',
  decimals: 0,
}

const series = Array.from({ length: 12 }, (_, number) => `S${number}`)
/** The first ones of a day come before the others. An outage hides the same ones. */
const FIRST = 4
const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The invented dataset, and its roots on chain. */
export interface PriceDataset {
  readonly config: DatasetConfig
  /** Shows prices of a day: of the first series, or of all. */
  release(day: number, isWhole: boolean): void
  /** Changes one of the newest prices. */
  revise(): void
  /** Hides some series, or shows all again. */
  cut(isCut: boolean): void
  /** The answer to a request for it; null for another request. */
  answer(url: URL): EiaAnswer | null
  /** Hears of the newest root on chain. */
  look(latest: Attestation | null): void
  /** Whether EIA lacks values of the newest root on chain. */
  hasLost(): boolean
  isLate(nowMs: number): boolean
  /** Compares the newest root on chain with EIA. */
  compare(): Promise<void>
}

/** Creates a dataset with some history. @param object called with each violation */
export function createPriceDataset(
  { between, pick }: Chance,
  object: (violation: string) => void,
): PriceDataset {
  const values = new Map<string, string[]>()
  /** Period and size of every state without an outage. */
  const whole = new Set<string>()
  let [isCut, latest, wasWhole]: [boolean, Attestation | null, boolean] = [false, null, true]
  const price = (): string => between(1, 5).toFixed(3)

  const rowsOf = (): UpstreamRow[] =>
    [...values].flatMap(([day, prices]) =>
      prices.map((value, at) => spotRow(day, series[at] ?? '', value)).slice(isCut ? FIRST : 0),
    )
  /** The first day of the window that ends with the newest day. */
  const startOf = (period: string): string => dayText(Date.parse(period) / DAY_MS - PERIODS + 1)

  function windowOf(rows = rowsOf()) {
    const newest =
      rows
        .map(({ period }) => period ?? '')
        .toSorted()
        .at(-1) ?? ''
    const shown = rows.filter(({ period }) => (period ?? '') >= startOf(newest))
    return { newest, shown, print: `${encodePeriod('daily', newest)} ${shown.length}` }
  }

  function note(): void {
    for (const day of [...values.keys()].slice(0, -30)) values.delete(day)
    if (!isCut) whole.add(windowOf().print)
  }

  function release(day: number, isWhole: boolean): void {
    const known = values.get(dayText(day)) ?? []
    const count = isWhole ? series.length : FIRST
    values.set(dayText(day), [...known, ...Array.from({ length: count - known.length }, price)])
    note()
  }

  for (let day = Math.floor(START_MS / DAY_MS) - 20; day < Math.floor(START_MS / DAY_MS); day++)
    if (isWorkday(day)) release(day, true)

  return {
    config: priceDataset,
    release,
    revise() {
      const prices = values.get(pick([...values.keys()].slice(-3)))
      if (prices !== undefined) prices[Math.floor(between(0, prices.length))] = price()
    },
    cut(now) {
      isCut = now
      note()
    },
    answer(url) {
      if (!pathBelowV2(url).startsWith(priceDataset.route)) return null
      const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
      const rows = new Map([[priceDataset.route, rowsOf()]])
      // The window has two pages.
      return answerEia({ datasets, rows, apiKey: null, maxRows: 40 }, url)
    },
    look(value) {
      if (value === null || value.source_hash === latest?.source_hash) return
      const start = encodePeriod('daily', startOf(`${value.period}`.replace(/(....)(..)(..)/, '$1-$2-$3')))
      const isComparable = latest !== null && wasWhole && latest.period >= start
      const print = `${value.period} ${value.amount}`
      if (isComparable && !whole.has(print))
        object(`${priceDataset.feed_id} is attested with a loss: ${print}`)
      latest = value
      wasWhole = whole.has(print)
    },
    hasLost() {
      const { newest } = windowOf()
      return isCut && latest !== null && wasWhole && latest.period >= encodePeriod('daily', startOf(newest))
    },
    isLate(nowMs) {
      if (latest === null) return false
      const { period, timestamp: updated_at } = latest
      const status = statusOf({
        ...feedMetadata(priceDataset),
        feed_id: priceDataset.feed_id,
        period,
        updated_at,
      })
      return ['late', 'stale'].includes(status(nowMs).state)
    },
    async compare() {
      const { shown, print } = windowOf()
      const root = await rootOf(shown)
      if (latest?.source_hash !== root)
        object(`${priceDataset.feed_id} is ${latest?.period} ${latest?.amount}, and EIA has ${print}`)
    },
  }
}

/** EIA publishes the prices of each workday in two pieces, and revises some. */
export async function publishPrices({ prices, chance, tell, now, isOver, ...world }: World): Promise<void> {
  const { between, happens } = chance('prices')
  for (let day = Math.floor(START_MS / DAY_MS); !isOver(); day++) {
    if (!isWorkday(day)) continue
    await pause(Math.max(0, day * DAY_MS + between(13 * HOUR_MS, 23 * HOUR_MS) - now()))
    for (const isWhole of [false, true]) {
      while (now() < world.closedUntil && !isOver()) await pause(world.closedUntil - now())
      if (isOver()) return
      prices.release(day, isWhole)
      tell('prices', `of ${isWhole ? 'all' : 'some'} series on ${dayText(day)}`)
      await pause(between(5 * MINUTE_MS, 5 * HOUR_MS))
      if (happens(0.1) && !isOver()) prices.revise()
    }
  }
}

/** EIA shows only some series of the dataset. */
export async function cutPrices({ prices, tell }: World, { between }: Chance): Promise<void> {
  tell('prices cut')
  prices.cut(true)
  await pause(between(HOUR_MS, 10 * HOUR_MS))
  prices.cut(false)
  tell('prices whole again')
}
