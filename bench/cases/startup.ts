import { startBenchServer, timeRequest } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { percentile } from '../percentile.ts'
import type { Plan } from '../plan.ts'
import { residentMegabytes } from '../rss.ts'
import type { Row } from '../table.ts'

/** Measures the time from starting the process to listening, and the idle memory. */
export async function measureStartup({ rounds }: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: 0 })
  const starts: number[] = []
  let idle = 0
  let idleAfterRead = 0
  for (let round = 0; round < rounds; round++) {
    await using server = await startBenchServer(chain)
    starts.push(server.startMs)
    idle = await residentMegabytes(server.pid)
    await timeRequest(`${server.url}/v1/feeds`)
    idleAfterRead = await residentMegabytes(server.pid)
  }
  const p50Ms = percentile(starts, 0.5)
  return [
    {
      name: 'from start to listening',
      p50Ms,
      p99Ms: percentile(starts, 0.99),
      target: '300 ms',
      reached: p50Ms <= 300,
    },
    {
      name: 'memory while idle',
      other: `RSS ${Math.round(idle)} MB; ${Math.round(idleAfterRead)} MB once the list was read`,
      target: 'RSS 100 MB',
      reached: idle <= 100,
    },
  ]
}
