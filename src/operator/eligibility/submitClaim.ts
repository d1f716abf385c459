import { decodeHex } from '../../bytes/hex.ts'
import type { ExecutedTransaction } from '../../casper/transaction/execution.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import { type SendOptions, sendTransaction } from '../../casper/transaction/sendTransaction.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { type SignedTransaction, signTransaction } from '../../casper/transaction/signTransaction.ts'
import { type Arguments, clBytes, clU256 } from '../../casper/types/arguments.ts'
import { WattfeedError } from '../../errors.ts'
import { assertBalance, readAccount } from '../contracts/account.ts'
import { ClaimError } from './claimError.ts'
import { type GateState, readGateState } from './gateState.ts'
import type { PendingStore } from './pendingFile.ts'

/** A claim consumes 29.8 CSPR; a quarter of the room above that is lost. */
export const CLAIM_PAYMENT_MOTES = 33_000_000_000n

/** A proof of membership, and for whom and where it is. */
export interface Claim {
  merkleRoot: bigint
  nullifier: bigint
  /** 512 hex digits. */
  proof: string
  /** 64 hex digits. */
  accountHash: string
  /** 64 hex digits. */
  gatePackageHash: string
}

export interface ClaimSettings extends FollowOptions {
  signer: Signer
  chainName: string
  paymentMotes?: bigint
  isDryRun?: boolean
  pending: PendingStore
}

/** What became of a claim. */
export type ClaimOutcome =
  /** There was nothing to do. */
  | { state: 'eligible' }
  /** It would be sent. */
  | { state: 'planned'; paymentMotes: bigint }
  /** An earlier run has sent it, and a dry run does not follow it. */
  | { state: 'pending'; transactionHash: string }
  | { state: 'executed'; executed: ExecutedTransaction }

/**
 * Claims eligibility, and waits until the claim is executed. What can be checked is checked before anything is
 * sent, because a claim that fails loses its whole payment.
 *
 * Throws a {@link ClaimError}, a `PreflightError`, and what `sendTransaction` throws.
 */
export async function submitClaim(claim: Claim, settings: ClaimSettings): Promise<ClaimOutcome> {
  const { rpc, signer, chainName, paymentMotes = CLAIM_PAYMENT_MOTES, isDryRun, pending, now } = settings
  assertOwnAccount(claim, signer)
  const earlier = await pending.read()
  if (earlier !== null && isDryRun) return { state: 'pending', transactionHash: earlier.hash }
  if (earlier !== null) return settle(earlier, { ...settings, isSentBefore: true })
  const { gatePackageHash: packageHash, nullifier, accountHash } = claim
  const gate = await readGateState(rpc, { packageHash, nullifier, accountHash })
  if (gate.isEligible) return { state: 'eligible' }
  assertClaimable(claim, gate)
  assertBalance(await readAccount(rpc, signer), paymentMotes)
  const signed = await signTransaction(signer, {
    chainName,
    target: { packageHash, entryPoint: 'claim' },
    args: claimArguments(claim),
    paymentMotes,
    timestamp: (now ?? Date.now)(),
  })
  if (isDryRun) return { state: 'planned', paymentMotes }
  await pending.write(signed)
  return settle(signed, settings)
}

/** The arguments of `claim`. */
export const claimArguments = ({ merkleRoot, nullifier, proof }: Claim): Arguments => ({
  merkle_root: clU256(merkleRoot),
  nullifier: clU256(nullifier),
  proof: clBytes(decodeHex(proof, 'proof')),
})

const SETTLED = new Set(['transaction_refused', 'transaction_failed', 'transaction_expired'])

/** Forgets the transaction once its end is known. */
async function settle(
  signed: SignedTransaction,
  settings: ClaimSettings & Pick<SendOptions, 'isSentBefore'>,
): Promise<ClaimOutcome> {
  try {
    const executed = await sendTransaction(signed, settings)
    await settings.pending.clear()
    return { state: 'executed', executed }
  } catch (error) {
    if (error instanceof WattfeedError && SETTLED.has(error.code)) await settings.pending.clear()
    throw error
  }
}

function assertOwnAccount({ accountHash }: Claim, signer: Signer): void {
  if (signer.accountHash !== `account-hash-${accountHash}`)
    throw new ClaimError(
      'other_account',
      `the proof is for account-hash-${accountHash}, and the key is that of ${signer.accountHash}`,
    )
}

function assertClaimable(
  { merkleRoot, gatePackageHash }: Claim,
  { roots, isNullifierUsed }: GateState,
): void {
  if (isNullifierUsed)
    throw new ClaimError(
      'nullifier_used',
      'the identity behind this proof has vouched for an account already',
    )
  if (!roots.includes(merkleRoot))
    throw new ClaimError(
      'unknown_root',
      `the owner of hash-${gatePackageHash} has not set the root ${merkleRoot} of this group, or has taken it back; ask for the group file that counts, and prove again`,
    )
}
