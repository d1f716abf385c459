import { type Client, casperTest, type Network } from 'wattfeed'
import type { Log } from '../runtime/log.ts'
import { nodeHint } from '../runtime/nodeHint.ts'
import { type AnswerAt, createAnswerAt } from './answerAt.ts'
import { loggedError } from './errorAnswer.ts'
import { formatCacheControl } from './http/headers.ts'
import { type Metrics, registerStatusGauges } from './metrics.ts'
import { describeSite, type PublicSite } from './publicSite.ts'

/** What the features of one server share. What only some of them read through, `createApp` passes to these. */
export interface Server {
  readonly client: Client
  /** The chain and registries that the client reads. */
  readonly network: Omit<Network, 'rpcUrls'>
  readonly metrics: Metrics
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
  /** A notice above every page of the explorer and the documentation. */
  readonly notice: string | null
  readonly site: PublicSite
  readonly answerAt: AnswerAt
}

export interface ServerOptions
  extends Pick<Server, 'client' | 'metrics' | 'log'>,
    Partial<Pick<Server, 'network' | 'now' | 'notice'>> {
  /** How long caches may reuse responses of the chain, in seconds; with 0 they revalidate each time. @default 0 */
  cacheMaxAgeS?: number
  /** The origin under which people reach this server, without a slash at the end. @default unknown */
  publicUrl?: string | null
}

/** Creates what the features share. Without settings, they read the public test network and answer this machine. */
export function createServer({
  client,
  metrics,
  log,
  network = casperTest,
  now = Date.now,
  notice = null,
  cacheMaxAgeS = 0,
  publicUrl = null,
}: ServerOptions): Server {
  registerStatusGauges(metrics, client.status, now)
  const site = describeSite(publicUrl, network.chainName)
  const answerAt = createAnswerAt(client, metrics, formatCacheControl(cacheMaxAgeS))
  return { client, network, metrics, log, now, notice, site, answerAt }
}

/** Reads the list once, so that later requests are answered from memory. Logs failures instead of throwing. */
export async function warmUp(client: Client, log: Log): Promise<void> {
  try {
    const at = await client.snapshot()
    const readings = await at.listReadings()
    log.info({ stateRootHash: at.stateRootHash, feeds: readings.length }, 'warmed up')
  } catch (error) {
    const hint = nodeHint(error)
    const fields = { err: loggedError(error), ...(hint !== null && { hint }) }
    log.warn(fields, 'warm-up failed; retrying on the first request')
  }
}
