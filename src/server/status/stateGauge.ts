import { Gauge } from 'prom-client'
import type { Reading } from 'wattfeed'
import type { FeedState } from '../../feeds/status/feedStatus.ts'
import { statusAt } from '../readers/statusAt.ts'
import type { Server } from '../server.ts'

/**
 * Registers the gauge of how many feeds are in each state, in the last list that was read. Each scrape starts a read for the next
 * one, so that it never waits for a node.
 */
export function registerStateGauge({
  client,
  metrics,
  now,
}: Pick<Server, 'client' | 'metrics' | 'now'>): void {
  let last: readonly Reading[] | null = null
  let isReading = false
  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    // If the read fails, the last list stays. /ready reports the failure.
    last = await client.withSnapshot((at) => at.listReadings()).catch(() => last)
    isReading = false
  }
  new Gauge({
    name: 'wattfeed_feed_states',
    help: 'Feeds by state in EIA’s calendar: current, due, late, stale, unknown. Absent before the first read.',
    labelNames: ['state'],
    registers: [metrics.registry],
    collect() {
      void read()
      if (last === null) return
      for (const [state, feeds] of Object.entries(countStates(last, now()))) this.set({ state }, feeds)
    },
  })
}

function countStates(readings: readonly Reading[], time: number): Readonly<Record<FeedState, number>> {
  const counts = { current: 0, due: 0, late: 0, stale: 0, unknown: 0 }
  for (const each of readings) counts[statusAt(each, time).state] += 1
  return counts
}
