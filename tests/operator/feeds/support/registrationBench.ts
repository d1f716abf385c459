import type { Signer } from '../../../../src/casper/transaction/signer.ts'
import type { PendingRegistration } from '../../../../src/operator/feeds/pendingRegistration.ts'
import type { Registration } from '../../../../src/operator/feeds/registration.ts'
import { rpcOf } from '../../../agent/support/rpc.ts'
import { CHAIN_NAME, type FeedsChain } from './feedsChain.ts'

/** A registration on a chain, and what it keeps and tells. */
export interface RegistrationBench {
  /** As another run of the program has it: with another time. */
  open(changes?: Partial<Registration>): Registration
  kept(): PendingRegistration | null
  progress: string[]
}

export const START = 1_800_000_000_000

export function createRegistrationBench(chain: FeedsChain, signer: Signer): RegistrationBench {
  const progress: string[] = []
  let kept: PendingRegistration | null = null
  let runs = 0
  return {
    progress,
    kept: () => kept,
    open(changes = {}) {
      // Else the same call in another run would be the same transaction.
      const now = START + runs++
      return {
        rpc: rpcOf(chain.answer),
        client: chain.client,
        signer,
        chainName: CHAIN_NAME,
        feedRegistryPackageHash: chain.feedRegistryPackageHash,
        paymentMotes: null,
        isDryRun: false,
        pending: {
          read: async () => kept,
          write: async (pending) => {
            kept = pending
          },
          clear: async () => {
            kept = null
          },
        },
        follow: { pollMs: 1, wait: async () => {}, now: () => now },
        onProgress: ({ feedId, event }) => progress.push(`${feedId}: ${event}`),
        ...changes,
      }
    },
  }
}
