import { countSegments } from '../../tests/support/segments.ts'
import { startBareEndpoint } from '../bareEndpoint.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import type { Row } from '../table.ts'

/**
 * Counts the writes of a large answer. `src/server/http/streamedBody.ts` is no longer needed when Bun also sends a plain body in one write after a
 * wait.
 */
export async function measureWrites(): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: 0 })
  await using server = await startBenchServer(chain)
  await using bare = await startBareEndpoint(server)
  // The first answer waits for the list.
  await countSegments(`${server.url}/v1/feeds`)
  const own = await countSegments(`${server.url}/v1/feeds`)
  const plain = await countSegments(`${bare.url}/after-a-wait`)
  return [
    {
      name: `\`/v1/feeds\`, ${own.body.length} bytes, writes of one answer`,
      other: `${own.segments}; ${plain.segments} if Bun gets a plain body after a wait`,
      target: '1',
      reached: own.segments === 1,
    },
  ]
}
