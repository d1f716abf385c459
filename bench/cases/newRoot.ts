import { startBenchServer, timeRequest } from '../benchServer.ts'
import { type ChainProcess, startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import { type Plan, proofBytes, someFeeds } from '../plan.ts'
import type { Row } from '../table.ts'

const cases = [
  { kind: 'attest', changes: 1, roundTrips: 3 },
  { kind: 'attest', changes: 5, roundTrips: 3 },
  { kind: 'register', changes: 1, roundTrips: 4 },
  { kind: 'register', changes: 5, roundTrips: 4 },
] as const

const words = {
  attest: (count: number) => (count === 1 ? '1 new value' : `${count} new values`),
  register: (count: number) => (count === 1 ? '1 change of metadata' : `${count} changes of metadata`),
}

/** Measures the whole list, requested after a block in which a few feeds changed. */
export async function measureNewRoot(plan: Plan): Promise<Row[]> {
  const { delayMs } = plan
  await using chain = await startChainProcess({ feeds: someFeeds, delayMs, proofBytes })
  await using server = await startBenchServer(chain)
  await timeRequest(`${server.url}/v1/feeds`)
  const rows: Row[] = []
  for (const each of cases) rows.push(await measureChanges(each, plan, chain, `${server.url}/v1/feeds`))
  return rows
}

async function measureChanges(
  { kind, changes, roundTrips }: (typeof cases)[number],
  { delayMs, rounds }: Plan,
  chain: ChainProcess,
  url: string,
): Promise<Row> {
  const times: number[] = []
  const calls: number[] = []
  for (let round = 0; round < rounds; round++) {
    await chain.change(kind, changes)
    await chain.resetCalls()
    times.push(await timeRequest(url))
    calls.push(await chain.calls())
  }
  const [mostMs, mostCalls] = [roundTrips * delayMs + 50, 4 + 2 * changes]
  // The median, because some rounds include background requests, sent every 10 and 15 s at most.
  const rpcCalls = percentile(calls, 0.5)
  const p99Ms = percentile(times, 0.99)
  return {
    name: `\`/v1/feeds\`, new root with ${words[kind](changes)}, ${delayMs} ms delay`,
    rpcCalls,
    p50Ms: percentile(times, 0.5),
    p99Ms,
    target: `${mostMs} ms, ${mostCalls} calls`,
    reached: p99Ms <= mostMs && rpcCalls <= mostCalls,
  }
}
