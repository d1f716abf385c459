import { syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { startBenchServer, timeRequest } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { inTurn } from '../inTurn.ts'
import { percentile } from '../percentile.ts'
import { type Plan, proofBytes } from '../plan.ts'
import { residentMegabytes } from '../rss.ts'
import type { Row } from '../table.ts'

const ROWS = 1_000
const FEEDS = 100

const historyPath = `/v1/feeds/${syntheticFeedId(0)}/history`
const gzip = { 'accept-encoding': 'gzip' }

/** Measures histories: a page read cold, updated, and requested repeatedly, and a very long history page by page. */
export async function measureHistory(plan: Plan): Promise<Row[]> {
  return [
    await measureColdPage(plan),
    await measureNewValue(plan),
    ...(await measureThroughput(plan)),
    await measureLongPast(plan),
  ]
}

const pageOf = (limit: number): string => `${historyPath}?limit=${limit}`

async function measureColdPage({ delayMs, rounds }: Plan): Promise<Row> {
  const times: number[] = []
  let rpcCalls = 0
  await using chain = await startChainProcess({ feeds: 1, values: ROWS, delayMs, proofBytes })
  for (let round = 0; round < Math.min(rounds, 5); round++) {
    await using server = await startBenchServer(chain)
    await timeRequest(`${server.url}/v1/feeds`)
    await chain.resetCalls()
    times.push(await timeRequest(server.url + pageOf(ROWS)))
    rpcCalls = Math.max(rpcCalls, await chain.calls())
  }
  const p50Ms = percentile(times, 0.5)
  return {
    name: `\`/history\`, ${ROWS} values never read before, ${delayMs} ms delay`,
    rpcCalls,
    p50Ms,
    p99Ms: percentile(times, 0.99),
    target: '1,500 ms',
    reached: p50Ms <= 1_500,
  }
}

async function measureNewValue({ delayMs, rounds }: Plan): Promise<Row> {
  await using chain = await startChainProcess({ feeds: 1, values: ROWS, delayMs, proofBytes })
  await using server = await startBenchServer(chain)
  const url = `${server.url}${pageOf(ROWS)}&order=desc`
  await timeRequest(url)
  const times: number[] = []
  const calls: number[] = []
  for (let round = 0; round < rounds; round++) {
    await chain.change('attest', 1)
    await chain.resetCalls()
    times.push(await timeRequest(url))
    calls.push(await chain.calls())
  }
  const rpcCalls = percentile(calls, 0.5)
  return {
    name: `\`/history\`, ${ROWS} rows after one new value, ${delayMs} ms delay`,
    rpcCalls,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    target: 'the calls of a new root with one value, and 2',
    reached: rpcCalls <= 8,
  }
}

async function measureThroughput(plan: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: FEEDS, values: ROWS, delayMs: 0 })
  await using server = await startBenchServer(chain)
  const page = await (await fetch(server.url + pageOf(ROWS))).json()
  const ids = Array.from({ length: FEEDS }, (_, index) => `id=${syntheticFeedId(index)}`)
  const [pinned, hundred, one] = await inTurn(
    plan,
    [
      server.url + page.permalink,
      `${server.url}/v1/readings?${ids.join('&')}`,
      `${server.url}/v1/readings?${ids[0]}`,
    ],
    gzip,
  )
  const ratio = (one?.perSecond ?? 0) / (hundred?.perSecond ?? 1)
  const about = `${plan.connections} connections, gzip, no delay`
  return [
    {
      name: `\`/history\`, pinned page of ${ROWS} rows, ${about}`,
      ...pinned,
      target: '3,000 a second',
      reached: (pinned?.perSecond ?? 0) >= 3_000,
    },
    { name: `\`/v1/readings\`, one id, ${about}`, ...one },
    {
      name: `\`/v1/readings\`, ${FEEDS} ids, ${about}`,
      ...hundred,
      other: `${ratio.toFixed(1)} times the time of one id`,
      target: 'twice the time of one id',
      reached: ratio <= 2,
    },
  ]
}

async function measureLongPast({ manyValues }: Plan): Promise<Row> {
  await using chain = await startChainProcess({ feeds: 1, values: manyValues, delayMs: 0 })
  await using server = await startBenchServer(chain)
  const start = performance.now()
  let rows = 0
  for (let path: string | null = pageOf(ROWS); path !== null; ) {
    const page = await readPage(server.url + path)
    rows += page.items.length
    path = page.next
  }
  const seconds = (performance.now() - start) / 1_000
  const memory = await residentMegabytes(server.pid)
  return {
    name: `\`/history\`, ${rows.toLocaleString('en-US')} values of one feed, page by page, no delay`,
    perSecond: rows / ROWS / seconds,
    other: `RSS ${Math.round(memory)} MB`,
    target: 'RSS 250 MB',
    reached: rows === manyValues && memory <= 250,
  }
}

interface Page {
  items: unknown[]
  next: string | null
}

/** Returns a page as soon as its values are read. Until then the server answers 503. */
async function readPage(url: string): Promise<Page> {
  for (;;) {
    const response = await fetch(url)
    if (response.status === 200) return (await response.json()) as Page
    if (response.status !== 503) throw new Error(`${url} answered ${response.status}`)
    await Bun.sleep(Number(response.headers.get('retry-after')) * 1_000)
  }
}
