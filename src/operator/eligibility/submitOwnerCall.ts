import type { ExecutedTransaction } from '../../casper/transaction/execution.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import { sendCall } from '../../casper/transaction/sendCall.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { Arguments } from '../../casper/types/arguments.ts'
import { assertBalance, readAccount } from '../contracts/account.ts'
import { wirePaymentMotes } from '../contracts/payments.ts'
import { PreflightError } from '../contracts/preflightError.ts'
import { type Gate, openGate } from './gate.ts'

export interface OwnerSettings extends FollowOptions {
  signer: Signer
  chainName: string
  /** 64 hex digits. */
  gatePackageHash: string
  /** @default 2.5 CSPR, the network's least */
  paymentMotes?: bigint
  isDryRun?: boolean
}

/** A call that is the owner's alone. */
export interface OwnerCall {
  entryPoint: 'set_root' | 'remove_root' | 'revoke'
  args: Arguments
  /** Whether the gate is already as the call would make it. */
  isDone(gate: Gate): Promise<boolean>
}

/** What became of a call of the owner. */
export type OwnerOutcome =
  /** There was nothing to do. */
  | { state: 'done' }
  /** It would be sent. */
  | { state: 'planned'; paymentMotes: bigint }
  | { state: 'executed'; executed: ExecutedTransaction }

/**
 * Calls a gate as its owner, unless there is nothing to do, and waits until the call is executed.
 *
 * Throws a `PreflightError`, and what `sendCall` throws.
 */
export async function submitOwnerCall(
  { entryPoint, args, isDone }: OwnerCall,
  settings: OwnerSettings,
): Promise<OwnerOutcome> {
  const { rpc, signer, gatePackageHash: packageHash, paymentMotes = wirePaymentMotes, isDryRun } = settings
  const gate = await openGate(rpc, packageHash)
  const [owner, hasNothingToDo] = await Promise.all([gate.getOwner(), isDone(gate)])
  if (owner !== signer.accountHash)
    throw new PreflightError(
      'not_owner',
      `the gate's owner is ${owner}, and the key is that of ${signer.accountHash}`,
    )
  if (hasNothingToDo) return { state: 'done' }
  assertBalance(await readAccount(rpc, signer), paymentMotes)
  if (isDryRun) return { state: 'planned', paymentMotes }
  const executed = await sendCall({ ...settings, packageHash, entryPoint, args, paymentMotes })
  return { state: 'executed', executed }
}
