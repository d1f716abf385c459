import type { FeedConfig } from '../agent/feeds/feedConfig.ts'
import type { EiaClient } from '../eia/createEiaClient.ts'
import type { EiaRow } from '../eia/series.ts'
import type { Upstream } from './upstream.ts'

/** Maximum relative change of a value per revision. */
const MAX_CHANGE = 0.01

/** Changes the newest values of some feeds slightly, like a revision by EIA. */
export interface ValueMover {
  moveSome(count: number): Promise<void>
}

/** Creates a mover that invents revisions. The demo states on screen that they are invented. */
export function createValueMover(
  upstream: Upstream,
  eia: Pick<EiaClient, 'listNewestRows'>,
  feeds: readonly FeedConfig[],
  random: () => number,
): ValueMover {
  let next = 0
  return {
    async moveSome(count) {
      for (let index = 0; index < count; index++) {
        const feed = feeds[next++ % feeds.length]
        if (feed === undefined) return
        const [row] = await eia.listNewestRows(feed)
        if (row) upstream.setRow(feed, { period: row.period, value: revised(row, random) })
      }
    },
  }
}

/** Returns a different number close to the row's value, with the same number of decimals. */
export function revised({ value }: Pick<EiaRow, 'value'>, random: () => number): string {
  const text = value ?? '0'
  const digits = text.split('.')[1]?.length ?? 0
  const step = 10 ** -digits
  const change = Number(text) * MAX_CHANGE * (2 * random() - 1)
  const moved = Math.max(0, Number(text) + (Math.abs(change) < step ? step : change)).toFixed(digits)
  return moved === text ? (Number(text) + step).toFixed(digits) : moved
}
