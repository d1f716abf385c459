import { type BenchServer, startBenchServer, timeRequest } from '../benchServer.ts'
import { type ChainProcess, startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import type { Plan } from '../plan.ts'
import type { Row } from '../table.ts'

const feedPath = '/v1/feeds/EIA.PET.PRICE.WTI.DAILY'

/** Measures requests for an unchanged state root: sequential, simultaneous, and evenly spread. */
export async function measureSameRoot(plan: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: plan.delayMs })
  await using server = await startBenchServer(chain)
  await timeRequest(`${server.url}/v1/feeds`)
  return [
    await measureOneByOne('/v1/feeds', plan, chain, server),
    await measureOneByOne(feedPath, plan, chain, server),
    await measureTogether(plan, chain, server),
    await measureSpread(plan, server),
  ]
}

async function measureOneByOne(
  path: string,
  plan: Plan,
  chain: ChainProcess,
  server: BenchServer,
): Promise<Row> {
  const times: number[] = []
  await chain.resetCalls()
  for (let round = 0; round < plan.rounds; round++) times.push(await timeRequest(server.url + path))
  const calls = (await chain.calls()) / plan.rounds
  return row(`\`${path}\`, root unchanged, one after another`, times, plan, calls, calls <= 1)
}

/** Two calls, because requests that arrive while the first call is in flight wait for the second. */
async function measureTogether(plan: Plan, chain: ChainProcess, server: BenchServer): Promise<Row> {
  const times: number[] = []
  const calls: number[] = []
  for (let round = 0; round < plan.rounds; round++) {
    await chain.resetCalls()
    const requests = Array.from({ length: plan.connections }, () => timeRequest(server.url + feedPath))
    times.push(...(await Promise.all(requests)))
    calls.push(await chain.calls())
  }
  const name = `\`/v1/feeds/:id\`, root unchanged, ${plan.connections} requests at once`
  // The median, because some rounds include background requests, sent every 10 and 15 s at most.
  const medianCalls = percentile(calls, 0.5)
  return row(name, times, plan, medianCalls, medianCalls <= 2)
}

async function measureSpread(plan: Plan, server: BenchServer): Promise<Row> {
  const requests = Array.from({ length: plan.rounds * 10 }, async (_, index) => {
    await Bun.sleep((index * plan.delayMs) / 7)
    return timeRequest(server.url + feedPath)
  })
  const times = await Promise.all(requests)
  return row('`/v1/feeds/:id`, root unchanged, seven requests arriving evenly in each delay', times, plan)
}

function row(name: string, times: number[], { delayMs }: Plan, rpcCalls?: number, fewCalls = true): Row {
  const mostMs = delayMs + 20
  const p99Ms = percentile(times, 0.99)
  return {
    name: `${name}, ${delayMs} ms delay`,
    ...(rpcCalls === undefined ? {} : { rpcCalls }),
    p50Ms: percentile(times, 0.5),
    p99Ms,
    target: `${mostMs} ms, one shared call`,
    reached: p99Ms <= mostMs && fewCalls,
  }
}
