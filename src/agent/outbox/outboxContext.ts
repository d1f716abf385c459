import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { Client } from '../../client/createClient.ts'
import type { Registry } from '../../client/registry.ts'
import type { Log } from '../../runtime/log.ts'
import type { BatchOptions } from './batchAttestations.ts'
import type { InFlight } from './inFlight.ts'
import { logStep } from './logStep.ts'
import type { OutboxStep } from './outboxStep.ts'
import type { Destination } from './pendingTransaction.ts'

/** What an outbox works with. */
export interface OutboxOptions extends Destination, BatchOptions, Omit<FollowOptions, 'onEvent'> {
  /** Reads the same chain and registries, always at a fresh state root (`maxStalenessMs` 0, the default). */
  client: Client
  signer: Signer
  /** `AGENT_STATE_DIR`, of which this process holds the lock. */
  stateDir: string
  log?: Log
  /** Told of every step, and waited for. Must not throw. */
  observe?: (step: OutboxStep) => unknown
}

/** The same with what the outbox knows of its own. */
export interface OutboxContext extends OutboxOptions {
  inFlight: InFlight
  /** The AttestationRegistry. */
  registry: Registry
}

/** Tells of a step. */
export async function tell({ log, observe }: OutboxOptions, step: OutboxStep): Promise<void> {
  if (log !== undefined) logStep(log, step)
  await observe?.(step)
}
