import type { Arguments } from '../types/arguments.ts'
import type { ExecutedTransaction } from './execution.ts'
import type { FollowOptions } from './followTransaction.ts'
import { sendTransaction } from './sendTransaction.ts'
import type { Signer } from './signer.ts'
import { signTransaction } from './signTransaction.ts'

export interface CallRequest extends FollowOptions {
  signer: Signer
  chainName: string
  /** 64 hex digits; the newest enabled version is called. */
  packageHash: string
  entryPoint: string
  args: Arguments
  /** The most that the call may cost: all of it where it fails, a quarter of the unused part where it succeeds. */
  paymentMotes: bigint
}

/**
 * Calls a contract and waits until the call is executed.
 *
 * @throws {ArgumentError} before anything is sent.
 * @throws {NoLaneError} before anything is sent.
 * @throws what `sendTransaction` throws.
 *
 * @example
 * ```ts
 * const { chargedMotes } = await sendCall({
 *   rpc,
 *   signer,
 *   chainName: 'casper-test',
 *   packageHash,
 *   entryPoint: 'set_root',
 *   args: { root: clU256(root) },
 *   paymentMotes: 2_500_000_000n,
 * })
 * ```
 */
export async function sendCall(request: CallRequest): Promise<ExecutedTransaction> {
  const { signer, chainName, packageHash, entryPoint, args, paymentMotes, now = Date.now } = request
  const target = { packageHash, entryPoint }
  const signed = await signTransaction(signer, { chainName, target, args, paymentMotes, timestamp: now() })
  return sendTransaction(signed, request)
}
