import { startBareEndpoint } from '../bareEndpoint.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { generator, type Load, runLoad } from '../load.ts'
import { percentile } from '../percentile.ts'
import type { Plan } from '../plan.ts'
import type { Row } from '../table.ts'

const path = '/v1/feeds/EIA.PET.PRICE.WTI.DAILY'

/** One feed over and over on many connections, beside an endpoint that returns the same bytes without work. */
export async function measureThroughput(plan: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: 0 })
  await using server = await startBenchServer(chain)
  const body = await (await fetch(server.url + path)).text()
  await using bare = await startBareEndpoint(body)
  const bareUrl = bare.url.replace('localhost', '127.0.0.1')
  const [one, constant, list] = await inTurn(plan, [
    server.url + path,
    bareUrl + path,
    `${server.url}/v1/feeds`,
  ] as const)
  const share = one.perSecond / constant.perSecond
  const about = `${plan.connections} connections, no delay`
  return [
    {
      name: `\`/v1/feeds/:id\`, ${about}`,
      ...one,
      other: `${Math.round(share * 100)} % of the bare endpoint`,
      target: '20,000 a second, 40 % of the bare endpoint',
      reached: one.perSecond >= 20_000 && share >= 0.4,
    },
    {
      name: `bare Elysia endpoint, constant of ${body.length} bytes, ${plan.connections} connections`,
      ...constant,
      other: `${generator} makes at least this many`,
    },
    { name: `\`/v1/feeds\`, ${about}`, ...list },
  ]
}

type Figures = Pick<Load, 'perSecond' | 'p50Ms' | 'p99Ms'>

/** Takes turns, so that whatever else the machine does hits all alike, and returns the medians. */
async function inTurn<const Urls extends readonly string[]>(
  { connections, loadRuns, loadSeconds }: Plan,
  urls: Urls,
): Promise<{ [Index in keyof Urls]: Figures }> {
  const runs: Load[][] = []
  for (const url of urls) await runLoad({ url, connections, seconds: loadSeconds / 2 })
  for (let run = 0; run < loadRuns; run++) {
    const loads: Load[] = []
    for (const url of urls) loads.push(await runWithoutFailures({ url, connections, seconds: loadSeconds }))
    runs.push(loads)
  }
  return urls.map((_, index) => medians(runs.flatMap((loads) => loads[index] ?? []))) as {
    [Index in keyof Urls]: Figures
  }
}

async function runWithoutFailures(options: Parameters<typeof runLoad>[0]): Promise<Load> {
  const load = await runLoad(options)
  if (load.failures > 0) throw new Error(`${options.url}: ${load.failures} answers were not 200`)
  return load
}

function medians(loads: readonly Load[]): Figures {
  const median = (of: keyof Figures): number =>
    percentile(
      loads.map((load) => load[of]),
      0.5,
    )
  return { perSecond: median('perSecond'), p50Ms: median('p50Ms'), p99Ms: median('p99Ms') }
}
