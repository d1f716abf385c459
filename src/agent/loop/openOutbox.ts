import { createRegistry } from '../../client/registry.ts'
import type { Log } from '../../runtime/log.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { createOutbox } from '../outbox/createOutbox.ts'
import type { OutboxOptions } from '../outbox/outboxContext.ts'
import type { OutboxStep } from '../outbox/outboxStep.ts'
import { listPending } from '../outbox/pendingTransactions.ts'
import { type ReadBack, readBack } from '../outbox/readBack.ts'
import type { FeedReader } from './feedReader.ts'
import type { OpenOutbox } from './outboxSender.ts'

export interface OpenOutboxOptions extends OutboxOptions {
  log: Log
  metrics: Pick<AgentMetrics, 'charged'>
  /** Told of what is on chain: from then on a node that does not know it is not believed. */
  reader: Pick<FeedReader, 'saw'>
}

/** Creates the agent's outbox: what its transactions cost is counted, and what they attested is remembered. */
export function openOutbox(options: OpenOutboxOptions): OpenOutbox {
  const { metrics, offersMany, paymentMotes, stateDir } = options
  const resumed = new Set<string>()

  async function observe(step: OutboxStep): Promise<void> {
    await options.observe?.(step)
    if (step.step === 'resumed') resumed.add(step.transactionHash)
    if (step.step === 'read_back') remember(step.readBack, options)
    if (step.step !== 'settled') return
    const { settled, executed } = step
    const { transactionHash, chargedMotes, feedIds } = settled
    if (chargedMotes !== null) metrics.charged({ chargedMotes, attestations: feedIds.length })
    if (executed !== null && resumed.has(transactionHash))
      await rememberResumed(transactionHash, executed.blockHash, options)
  }

  return {
    outbox: createOutbox({ ...options, observe }),
    offersMany,
    paymentMotes,
    listPending: () => listPending(stateDir, options),
  }
}

function remember(read: readonly ReadBack[] | null, { reader }: OpenOutboxOptions): void {
  for (const { feedId, value } of read ?? []) if (value !== null) reader.saw(feedId, value)
}

/**
 * What an earlier run has sent is on chain now, and the next node that is asked may not know it yet: only one that
 * does may decide what comes next.
 */
async function rememberResumed(
  transactionHash: string,
  blockHash: string,
  options: OpenOutboxOptions,
): Promise<void> {
  const { rpc, attestationRegistryPackageHash, stateDir, now = Date.now, log } = options
  try {
    const pending = await listPending(stateDir, options)
    const left = pending.find((each) => each.transaction_hash === transactionHash)
    const attestations = (left?.attestations ?? []).map((each) => ({
      feedId: each.feed_id,
      period: each.period,
      amount: BigInt(each.amount),
      sourceHash: each.source_hash,
    }))
    const registry = createRegistry(rpc, 'AttestationRegistry', attestationRegistryPackageHash, now)
    remember((await readBack(attestations, blockHash, { ...options, registry })).readBack, options)
  } catch (error) {
    log.warn({ err: error, transaction_hash: transactionHash }, 'what was attested could not be read back')
  }
}
