import { exampleFeedPath as path, startBareEndpoint } from '../bareEndpoint.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { inTurn } from '../inTurn.ts'
import { generator } from '../load.ts'
import type { Plan } from '../plan.ts'
import type { Row } from '../table.ts'

/** Measures repeated requests for one feed on many connections, compared with an endpoint that returns the same bytes. */
export async function measureThroughput(plan: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: 0 })
  await using server = await startBenchServer(chain)
  const body = await (await fetch(server.url + path)).text()
  await using bare = await startBareEndpoint(server)
  const [one, constant, list] = await inTurn(plan, [
    server.url + path,
    bare.url + path,
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
