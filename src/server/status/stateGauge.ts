import { Gauge } from 'prom-client'
import type { Reading } from '../../client/index.ts'
import type { FeedState } from '../../status/feedStatus.ts'
import type { Server } from '../server.ts'
import { statusAt } from './statusAt.ts'

/** Registers the gauge of how many feeds are in each state. */
export function registerStateGauge({
  client,
  metrics,
  now,
}: Pick<Server, 'client' | 'metrics' | 'now'>): void {
  const countStates = followStates({ client, now })
  new Gauge({
    name: 'wattfeed_feed_states',
    help: 'Feeds by state in EIA’s calendar: current, due, late, stale, unknown. Absent before the first read.',
    labelNames: ['state'],
    registers: [metrics.registry],
    collect() {
      for (const [state, feeds] of Object.entries(countStates() ?? {})) this.set({ state }, feeds)
    },
  })
}

/**
 * Returns a function that counts the feeds in each state, in the last list that was read; null before the first. Each call
 * starts a read for the next one, so that a scrape never waits for a node.
 */
function followStates({ client, now }: Pick<Server, 'client' | 'now'>) {
  let last: readonly Reading[] | null = null
  let isReading = false
  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    // If the read fails, the last list stays. /ready reports the failure.
    last = await client.withSnapshot((at) => at.listReadings()).catch(() => last)
    isReading = false
  }
  return (): Readonly<Record<FeedState, number>> | null => {
    void read()
    if (last === null) return null
    const counts = { current: 0, due: 0, late: 0, stale: 0, unknown: 0 }
    const time = now()
    for (const each of last) counts[statusAt(each, time).state] += 1
    return counts
  }
}
