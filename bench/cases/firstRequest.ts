import { startBenchServer, timeRequest } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import { type Plan, someFeeds } from '../plan.ts'
import type { Row } from '../table.ts'

/** Measures the whole list, requested right after the server starts. */
export async function measureFirstRequest({ delayMs, rounds }: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs })
  const times: number[] = []
  let rpcCalls = 0
  for (let round = 0; round < Math.min(rounds, 5); round++) {
    await chain.resetCalls()
    await using server = await startBenchServer(chain)
    times.push(await timeRequest(`${server.url}/v1/feeds`))
    rpcCalls = Math.max(rpcCalls, await chain.calls())
  }
  const mostMs = 5 * delayMs + 100
  const p99Ms = percentile(times, 0.99)
  return [
    {
      name: `\`/v1/feeds\`, first request after start, ${someFeeds} feeds, ${delayMs} ms delay`,
      rpcCalls,
      p50Ms: percentile(times, 0.5),
      p99Ms,
      target: `${mostMs} ms, 140 calls`,
      reached: p99Ms <= mostMs && rpcCalls <= 140,
    },
  ]
}
