import type { EiaRow } from '@wattfeed/eia'
import { decide } from '../../../src/agent/plan/decide.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import {
  type CycleOptions,
  createChainOutbox,
  createCycleOptions,
  createFakeChain,
  createFakeEia,
  feedOf,
  NOW,
  rowOf,
  runCycle,
} from './fakes.ts'

/** A daily feed. */
export const feed = feedOf('A')
const id = feed.feed_id

/** Rows of days of November, newest first; what is not said of a day is that its value is the day. */
export const november = (...days: (number | [day: number, value: string | null])[]): EiaRow[] =>
  days.map((each) => {
    const [day, value] = typeof each === 'number' ? [each, `${each}`] : each
    return rowOf({ period: `2026-11-${String(day).padStart(2, '0')}`, value })
  })

/** A feed that the chain holds these days of, as `rows` have them; EIA has others by the time of the cycle. */
export function createPeriodBench({
  held,
  prepared = {},
  feed: polled = feed,
}: {
  held: EiaRow[]
  prepared?: Partial<Outbox>
  /** @default the daily one */
  feed?: typeof feed
}) {
  const chain = createFakeChain([polled])
  for (const row of held.toReversed()) {
    const { period, amount, source_hash } = decide({ row, feed: polled, latest: null, now: NOW })
    chain.attest(id, { period, amount: amount ?? 0n, source_hash: source_hash ?? '' })
  }
  let rows: readonly EiaRow[] = held
  const { eia, asked } = createFakeEia(() => rows)
  const { outbox, sent } = createChainOutbox(chain, prepared)
  const warned: string[] = []
  const options: CycleOptions = {
    ...createCycleOptions(chain, { eia, outbox }),
    warnOnce: (feedId, message) => void warned.push(`${feedId}: ${message}`),
  }
  const days = () => chain.historyOf(id).map(({ period }) => period % 100)
  return {
    chain,
    options,
    asked,
    warned,
    days,
    /** Days of each transaction. */
    sentDays: () => sent.map((batch) => batch.map(({ period }) => period % 100)),
    publish: (...newer: EiaRow[]) => {
      rows = newer
    },
    async run(changes: Partial<CycleOptions> = {}, config = polled) {
      const [outcome] = await runCycle([config], { ...options, ...changes })
      if (outcome === undefined) throw new Error('no outcome')
      return outcome
    },
  }
}
