import { type Static, Type } from '@sinclair/typebox'
import { decodeHex, defineError } from '@wattfeed/base'
import type { Signer } from '@wattfeed/casper/transaction'
import { type Arguments, clBytes, clU256 } from '@wattfeed/casper/types'
import { type Outcome, type Payer, payOne } from '../payAll.ts'
import { type GateState, readGateState } from './gate.ts'
import { type MembershipProof, verifyMembershipProof } from './membershipProof.ts'

export type ClaimReason = 'other_account' | 'unknown_root' | 'nullifier_used' | 'invalid_proof'

const ClaimError = defineError(
  'ClaimError',
  'claim',
  (facts: { reason: ClaimReason; message: string }) => facts.message,
)

/** A claim consumes 29.9 CSPR; a quarter of anything above is lost. */
export const CLAIM_PAYMENT_MOTES = 33_000_000_000n

/** A pending claim, of the account `account-hash-…`. */
export const ClaimPurpose = Type.Object({ kind: Type.Literal('claim'), account: Type.String() })
type ClaimPurpose = Static<typeof ClaimPurpose>

export interface ClaimSettings extends Payer {
  /** @default {@link CLAIM_PAYMENT_MOTES} */
  paymentMotes?: bigint | undefined
}

/**
 * Claims eligibility, and waits until the claim is executed. Checks everything it can before sending, because a claim
 * that fails loses its whole payment. The outcome is `done` if the account is eligible.
 *
 * @throws {ClaimError | PreflightError} before anything is sent; afterwards the errors of `DurableSender` and
 * `sendTransaction`.
 */
export async function submitClaim(claim: MembershipProof, settings: ClaimSettings): Promise<Outcome> {
  const { signer, paymentMotes = CLAIM_PAYMENT_MOTES } = settings
  assertOwnAccount(claim, signer)
  const { accountHash: account } = signer
  return payOne(
    {
      isSame: (pending) => pending.account === account,
      request: async () =>
        (await isClaimable(claim, settings))
          ? {
              target: { packageHash: claim.gatePackageHash, entryPoint: 'claim' },
              args: claimArguments(claim),
              paymentMotes,
              purpose: { kind: 'claim', account } satisfies ClaimPurpose,
            }
          : null,
    },
    settings,
  )
}

export const claimArguments = ({ merkleRoot, nullifier, proof }: MembershipProof): Arguments => ({
  merkle_root: clU256(merkleRoot),
  nullifier: clU256(nullifier),
  proof: clBytes(decodeHex(proof, 'proof')),
})

function assertOwnAccount({ accountHash }: MembershipProof, signer: Signer): void {
  if (signer.accountHash !== `account-hash-${accountHash}`)
    throw new ClaimError({
      reason: 'other_account',
      message: `the proof is for account-hash-${accountHash}, but the key belongs to ${signer.accountHash}; use that account's key, or prove again for this one`,
    })
}

/** Returns whether there is something to claim. @throws {ClaimError} if the claim would fail. */
async function isClaimable(claim: MembershipProof, { rpc }: ClaimSettings): Promise<boolean> {
  const gate = await readGateState(rpc, claim)
  if (gate.isEligible) return false
  assertClaimable(claim, gate)
  await assertValid(claim)
  return true
}

/** The gate takes the whole payment for a proof that it rejects. */
async function assertValid(claim: MembershipProof): Promise<void> {
  if (!(await verifyMembershipProof(claim)))
    throw new ClaimError({
      reason: 'invalid_proof',
      message: `the proof is not valid for account-hash-${claim.accountHash} at hash-${claim.gatePackageHash}: it was changed, or another program created it; prove again`,
    })
}

function assertClaimable(
  { merkleRoot, gatePackageHash }: MembershipProof,
  { roots, isNullifierUsed }: GateState,
): void {
  if (isNullifierUsed)
    throw new ClaimError({
      reason: 'nullifier_used',
      message:
        'the identity behind this proof has already vouched for an account; prove with another identity of the group',
    })
  if (!roots.includes(merkleRoot))
    throw new ClaimError({
      reason: 'unknown_root',
      message: `the owner of hash-${gatePackageHash} has not set the root ${merkleRoot} of this group, or has removed it; get the current group file, and prove again`,
    })
}
