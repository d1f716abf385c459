import { startBareEndpoint } from '../bareEndpoint.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { inTurn } from '../inTurn.ts'
import { generator } from '../load.ts'
import type { Plan } from '../plan.ts'
import type { Row } from '../table.ts'

const path = '/v1/feeds/EIA.PET.PRICE.WTI.DAILY'

/** Measures repeated requests for one feed on many connections, compared with an endpoint that returns the same bytes. */
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
