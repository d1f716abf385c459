import { startBenchServer, timeRequest } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import { type Plan, proofBytes } from '../plan.ts'
import { residentMegabytes } from '../rss.ts'
import type { Row } from '../table.ts'

/** Measures the first read of a large registry, and an update. */
export async function measureManyFeeds({ manyFeeds, rounds, settleMs }: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: manyFeeds, delayMs: 0, proofBytes })
  await using server = await startBenchServer(chain)
  const firstMs = await timeRequest(`${server.url}/v1/feeds`)
  const firstCalls = await chain.calls()
  const times: number[] = []
  let rpcCalls = 0
  for (let round = 0; round < rounds; round++) {
    await chain.change('attest', 1)
    await chain.resetCalls()
    times.push(await timeRequest(`${server.url}/v1/feeds`))
    rpcCalls = Math.max(rpcCalls, await chain.calls())
  }
  const memory = await residentMegabytes(server.pid)
  await Bun.sleep(settleMs)
  const settled = await residentMegabytes(server.pid)
  const feeds = `${manyFeeds.toLocaleString('en-US')} synthetic feeds`
  return [
    { name: `${feeds}, first list, no delay`, rpcCalls: firstCalls, p50Ms: firstMs },
    {
      name: `${feeds}, new root with one new value, no delay`,
      rpcCalls,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      other: `RSS ${Math.round(memory)} MB, ${Math.round(settled)} MB a little later`,
      target: '6 calls, RSS 200 MB',
      reached: rpcCalls <= 6 && memory <= 200,
    },
  ]
}
