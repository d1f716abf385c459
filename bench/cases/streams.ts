import { startStreamLoad } from '../../tests/support/streamLoad.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import { type Plan, someFeeds } from '../plan.ts'
import { residentMegabytes } from '../rss.ts'
import type { Row } from '../table.ts'

/** Measures the time between an event's arrival at the first and the last client, and the cost of many idle clients. */
export async function measureStreams({ rounds, streams, manyStreams }: Plan): Promise<Row[]> {
  return [await measure(streams, rounds, true), await measure(manyStreams, rounds, false)]
}

async function measure(count: number, rounds: number, isTimed: boolean): Promise<Row> {
  await using chain = await startChainProcess({ feeds: someFeeds, delayMs: 0 })
  const settings = { ...chain.settings, STREAM_POLL_MS: '100', MAX_STREAMS: String(count) }
  await using server = await startBenchServer({ settings })
  await using load = startStreamLoad(`${server.url}/v1/stream`, count)
  while ((await load.report()).open < count) await Bun.sleep(20)
  for (let round = 1; round <= rounds; round++) {
    await chain.change('attest', 1)
    while ((await load.report()).events < round) await Bun.sleep(20)
  }
  const { spreadsMs } = await load.report()
  const p99Ms = percentile(spreadsMs, 0.99)
  const memory = Math.round(await residentMegabytes(server.pid))
  return {
    name: `\`/v1/stream\`, ${count.toLocaleString('en-US')} clients, one event from the first client to the last`,
    p50Ms: percentile(spreadsMs, 0.5),
    p99Ms,
    other: `RSS ${memory} MB`,
    target: isTimed ? '50 ms' : 'RSS 150 MB',
    reached: isTimed ? p99Ms <= 50 : memory <= 150,
  }
}
