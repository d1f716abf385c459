import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getBalance } from '../../casper/transaction/account.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { createAttestCall } from '../outbox/attestCall.ts'
import type { BatchOptions } from '../outbox/batchAttestations.ts'
import { BalanceError } from '../outbox/reservePayment.ts'
import type { Sender } from './sender.ts'

export interface DryRunOptions {
  rpc: Rpc
  /** Who would pay; null where there is no key, and then nobody's balance is looked at. */
  signer: Signer | null
  /** Tells what the deployed contract offers. */
  readBatchOptions: () => Promise<BatchOptions>
}

/** Sends nothing, and checks what can be checked before sending: arguments, gas and balance. */
export function createDryRunSender({ rpc, signer, readBatchOptions }: DryRunOptions): Sender {
  let options: BatchOptions = { offersMany: false, paymentMotes: null }
  return {
    async prepare() {
      options = await readBatchOptions()
      return { ...options, underWay: new Map() }
    },
    async send(attestations) {
      const { paymentMotes } = createAttestCall(attestations, options)
      if (signer !== null) await assertBalance(rpc, signer, paymentMotes)
      return { transactionHash: null, superseded: new Map() }
    },
    drain: async () => new Map(),
  }
}

async function assertBalance(rpc: Rpc, { publicKey, accountHash }: Signer, needed: bigint): Promise<void> {
  const balanceMotes = await getBalance(rpc, publicKey)
  if (balanceMotes === null || balanceMotes < needed)
    throw new BalanceError(accountHash, balanceMotes, needed)
}
