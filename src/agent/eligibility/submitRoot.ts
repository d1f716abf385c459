import { readAddress } from '../../casper/address.ts'
import { getStateRootHash } from '../../casper/stateRootHash.ts'
import { assertBalance, readAccount } from '../contracts/account.ts'
import { readContractState } from '../contracts/contractState.ts'
import { fieldsOf } from '../contracts/layout.ts'
import { wirePaymentMotes } from '../contracts/payments.ts'
import { PreflightError } from '../contracts/preflightError.ts'
import { clU256 } from '../transaction/clValue.ts'
import type { ExecutedTransaction } from '../transaction/execution.ts'
import type { FollowOptions } from '../transaction/followTransaction.ts'
import { sendCall } from '../transaction/sendCall.ts'
import type { Signer } from '../transaction/signer.ts'
import { readRoots } from './gateState.ts'

export interface RootSettings extends FollowOptions {
  signer: Signer
  chainName: string
  /** 64 hex digits. */
  gatePackageHash: string
  paymentMotes?: bigint
  isDryRun?: boolean
}

/** What became of a root. */
export type RootOutcome =
  /** It is the newest already. */
  | { state: 'done' }
  /** It would be sent. */
  | { state: 'planned'; paymentMotes: bigint }
  | { state: 'executed'; executed: ExecutedTransaction }

/**
 * Makes a group's root the newest one of a gate, as the gate's owner. Sending it twice does no harm.
 *
 * Throws a `PreflightError`, and what `sendCall` throws.
 */
export async function submitRoot(root: bigint, settings: RootSettings): Promise<RootOutcome> {
  const { rpc, signer, gatePackageHash: packageHash, paymentMotes = wirePaymentMotes, isDryRun } = settings
  const { hash } = await getStateRootHash(rpc)
  const gate = await readContractState(rpc, 'EligibilityGate', packageHash, hash)
  const field = fieldsOf.EligibilityGate
  const [owner, roots] = await Promise.all([
    gate.read(field.owner, 'owner', readAddress),
    gate.read(field.roots, 'roots', readRoots),
  ])
  if (owner !== signer.accountHash)
    throw new PreflightError(
      'not_owner',
      `the gate's owner is ${owner}, and the key is that of ${signer.accountHash}`,
    )
  if (roots?.at(-1) === root) return { state: 'done' }
  assertBalance(await readAccount(rpc, signer), paymentMotes)
  if (isDryRun) return { state: 'planned', paymentMotes }
  const args = { root: clU256(root) }
  const executed = await sendCall({ ...settings, packageHash, entryPoint: 'set_root', args, paymentMotes })
  return { state: 'executed', executed }
}
