import { syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { startStreamLoad } from '../../tests/support/streamLoad.ts'
import { type BenchServer, startBenchServer, timeRequest } from '../benchServer.ts'
import { type ChainProcess, startChainProcess } from '../chainProcess.ts'
import { cpuSeconds } from '../cpuTime.ts'
import { runLoad } from '../load.ts'
import { type Plan, someFeeds } from '../plan.ts'
import { residentMegabytes } from '../rss.ts'
import type { Row } from '../table.ts'

const PATH = `/v1/feeds/${syntheticFeedId(0)}`

/** A server's load: its name, and the work to do for a number of seconds. */
interface Use {
  name: string
  settings?: Record<string, string>
  run: (server: BenchServer, seconds: number) => Promise<number | null>
}

/**
 * Measures a server's node calls, CPU and memory: idle, with streams, and with as many readers as it can serve.
 * The readers are measured for several values of `MAX_STALENESS_MS`.
 */
export async function measureReplica({ delayMs, connections, streams, loadSeconds }: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: someFeeds, delayMs })
  const read: Use['run'] = async ({ url }, seconds) =>
    (await runLoad({ url: url + PATH, connections, seconds })).perSecond
  const uses: Use[] = [
    { name: 'nobody asks', run: wait },
    {
      name: `${streams.toLocaleString('en-US')} streams, no readers`,
      run: (...use) => hold(streams, ...use),
    },
    ...[0, 20, 100, 1_000].map((ms) => ({
      name: `${connections} readers, MAX_STALENESS_MS=${ms}`,
      settings: { MAX_STALENESS_MS: String(ms), LOG_LEVEL: 'warn' },
      run: read,
    })),
  ]
  const rows: Row[] = []
  for (const use of uses) rows.push(await measure(chain, use, loadSeconds, `${delayMs} ms delay`))
  return rows
}

async function measure(chain: ChainProcess, use: Use, seconds: number, about: string): Promise<Row> {
  await using server = await startBenchServer({ settings: { ...chain.settings, ...use.settings } })
  // A server reads all feeds once when it starts.
  await timeRequest(`${server.url}/v1/feeds`)
  const [startMs, cpuBefore] = [performance.now(), await cpuSeconds(server.pid)]
  await chain.resetCalls()
  const perSecond = await use.run(server, seconds)
  const calls = await chain.calls()
  const elapsedS = (performance.now() - startMs) / 1_000
  const cpu = (await cpuSeconds(server.pid)) - cpuBefore
  return {
    name: `a server, ${use.name}, ${about}`,
    ...(perSecond === null ? {} : { perSecond }),
    other: [
      `${(calls / elapsedS).toFixed(1)} calls a second`,
      `${((100 * cpu) / elapsedS).toFixed(1)} % of a core`,
      `RSS ${Math.round(await residentMegabytes(server.pid))} MB`,
    ].join(', '),
  }
}

async function wait(_: BenchServer, seconds: number): Promise<null> {
  await Bun.sleep(seconds * 1_000)
  return null
}

async function hold(streams: number, server: BenchServer, seconds: number): Promise<null> {
  await using load = startStreamLoad(`${server.url}/v1/stream`, streams)
  while ((await load.report()).open < streams) await Bun.sleep(20)
  return wait(server, seconds)
}
