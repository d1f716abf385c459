import { createMemoryStore, type MemoryStore } from '@wattfeed/casper/testing/memoryStore'
import type { Pending, Signer } from '@wattfeed/casper/transaction'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import type { Registration } from '../../../../src/operator/feeds/register/registerFeeds.ts'
import { CHAIN_NAME, type FeedsChain, START } from './feedsChain.ts'

/** A registration on a chain, with its stored files and its reports. */
export interface RegistrationBench {
  store: MemoryStore
  /** For another run of the program, at another time. */
  open(changes?: Partial<Registration>): Registration
  kept(): Pending | null
  progress: string[]
}

export function createRegistrationBench(chain: FeedsChain, signer: Signer): RegistrationBench {
  const progress: string[] = []
  const store = createMemoryStore()
  let runs = 0
  return {
    progress,
    store,
    kept: store.kept,
    open(changes = {}) {
      // Otherwise the same call in another run would be the same transaction.
      const now = START + runs++
      return {
        rpc: rpcOf(chain.answer),
        client: chain.client,
        signer,
        chainName: CHAIN_NAME,
        feedRegistryPackageHash: chain.feedRegistryPackageHash,
        paymentMotes: null,
        rescalesHistory: false,
        isDryRun: false,
        store,
        pollMs: 1,
        wait: async () => {},
        now: () => now,
        onStep: ({ pending, step }) => progress.push(`${pending.purpose.feed_id}: ${step}`),
        ...changes,
      }
    },
  }
}
