import type { Signer } from '@wattfeed/casper/transaction'
import { type Arguments, isRecord } from '@wattfeed/casper/types'
import type { Feed } from 'wattfeed'
import { attestArguments, registerArguments } from 'wattfeed/internal'
import {
  type SignedTransaction,
  signTransaction,
} from '../packages/casper/src/transaction/signTransaction.ts'
import type { DemoChain } from '../src/demo/demoChain.ts'

/** Calls the embedded chain and returns the `result`. @throws {Error} when the chain returns an error */
export type CallDevnet = (method: string, params: unknown) => Promise<unknown>

export interface DevnetCallerOptions {
  call: CallDevnet
  chainName: string
  signer: Signer
  packageHashes: DemoChain['packageHashes']
}

const CALL_MOTES = 2_500_000_000n

/** Writes to the registries, with one transaction and one immediate block per call. */
export interface DevnetCaller {
  /** Both return the milliseconds from sending the signed transaction to its result. */
  register(feedId: string, feed: Feed): Promise<number>
  attest(feedId: string, amount: bigint): Promise<number>
}

export function createDevnetCaller({
  call,
  chainName,
  signer,
  packageHashes,
}: DevnetCallerOptions): DevnetCaller {
  const send = async (packageHash: string, entryPoint: string, args: Arguments): Promise<number> => {
    const target = { packageHash, entryPoint }
    const request = { chainName, target, args, paymentMotes: CALL_MOTES, timestamp: Date.now() }
    const signed = await signTransaction(signer, request)
    const start = performance.now()
    await putTransaction(call, signed)
    return performance.now() - start
  }
  return {
    register: (feedId, feed) =>
      send(packageHashes.FeedRegistry, 'register_feed', registerArguments(feedId, feed)),
    attest: (feedId, amount) =>
      send(
        packageHashes.AttestationRegistry,
        'attest',
        attestArguments({ feed_id: feedId, period: 20261120, amount, source_hash: 'ab'.repeat(16) }),
      ),
  }
}

/** Sends a transaction and checks its result. @throws {Error} when it failed */
export async function putTransaction(
  call: CallDevnet,
  { hash, transaction }: SignedTransaction,
): Promise<void> {
  await call('account_put_transaction', { transaction })
  const found = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const path = ['execution_info', 'execution_result', 'Version2', 'error_message']
  const message = path.reduce((value, name) => (isRecord(value) ? value[name] : undefined), found)
  if (message !== null) throw new Error(`a transaction failed: ${message}`)
}
