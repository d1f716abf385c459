import type { Rpc } from '../../casper/rpc/rpc.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { createClient } from '../../client/createClient.ts'
import { createEiaClient, type EiaClient } from '../../eia/createEiaClient.ts'
import type { Log } from '../../runtime/log.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { openRpc } from '../openRpc.ts'
import type { OutboxStep } from '../outbox/outboxStep.ts'
import type { AgentSettings } from '../settings/agentSettings.ts'
import { createDryRunSender } from './dryRunSender.ts'
import { createFeedReader, type FeedReader } from './feedReader.ts'
import { openOutbox } from './openOutbox.ts'
import { createOutboxSender } from './outboxSender.ts'
import type { Platform } from './platform.ts'
import { readBatchOptions } from './readBatchOptions.ts'
import type { Sender } from './sender.ts'

export interface OpenAgentOptions {
  settings: AgentSettings
  /** Null where there is no key, which only a dry run can do without. */
  signer: Signer | null
  isDryRun: boolean
  /** How long the other feeds wait for one transaction, in milliseconds; null for as long as it takes. */
  patienceMs: number | null
  log: Log
  metrics: AgentMetrics
  platform: Platform
  onStep?: (step: OutboxStep) => unknown
  /** Aborted to give up what is in flight: it stays on disk. */
  abandon: AbortSignal
}

/** What the agent works with. Nothing is asked of anybody yet. */
export interface OpenAgent {
  rpc: Rpc
  reader: FeedReader
  eia: EiaClient
  sender: Sender
}

/** Connects the parts of the agent. */
export function openAgent(options: OpenAgentOptions): OpenAgent {
  const { settings, signer, isDryRun, platform } = options
  const rpc = openRpc(settings, platform)
  const client = createClient({ ...settings, fetch: platform.fetch })
  const reader = createFeedReader(client)
  const readOptions = () => readBatchOptions(rpc, settings, platform.now)
  const openRealOutbox = async (payer: Signer) => {
    const { chainName, attestationRegistryPackageHash, stateDir } = settings
    const { log, metrics, onStep: observe = () => {}, abandon: signal } = options
    const to = { chainName, attestationRegistryPackageHash, stateDir, ...(await readOptions()) }
    const parts = { rpc, client, signer: payer, reader, log, metrics, observe, signal }
    return openOutbox({ ...platform, ...to, ...parts })
  }
  const sender =
    isDryRun || signer === null
      ? createDryRunSender({ rpc, signer, readBatchOptions: readOptions })
      : createOutboxSender(() => openRealOutbox(signer), { ...options, wait: platform.wait })
  return { rpc, reader, eia: openEia(options), sender }
}

function openEia({ settings, platform, metrics, log }: OpenAgentOptions): EiaClient {
  return createEiaClient({
    baseUrl: settings.eiaBaseUrl,
    apiKey: settings.apiKey ?? '',
    requestsPerSecond: settings.eiaRequestsPerSecond,
    fetch: platform.fetch,
    observe: {
      request: metrics.upstream,
      warning: (event) => log.warn(event, 'EIA warns'),
    },
  })
}
