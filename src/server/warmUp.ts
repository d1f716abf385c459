import type { Client } from '../client/index.ts'
import type { Log } from '../runtime/log.ts'

/** Reads the list once, so that later requests are answered from memory. Never throws: a node may be down. */
export async function warmUp(client: Client, log: Log): Promise<void> {
  try {
    const at = await client.snapshot()
    const readings = await at.listReadings()
    log.info({ stateRootHash: at.stateRootHash, feeds: readings.length }, 'warmed up')
  } catch (error) {
    log.warn({ err: error }, 'not warmed up: the first requests will try again')
  }
}
