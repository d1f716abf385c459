import { dirname } from 'node:path'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import type { Signer } from '@wattfeed/casper/transaction'
import { openState } from '../agent/state/openState.ts'
import { OwnerPurpose, submitRoot } from '../operator/eligibility/ownerCalls.ts'
import { ClaimPurpose, submitClaim } from '../operator/eligibility/submitClaim.ts'
import recorded from './claim.json' with { type: 'json' }
import { type DemoAccount, type DemoChain, POLL_MS } from './demoChain.ts'
import recordedForUser from './userClaim.json' with { type: 'json' }

/**
 * Makes the owner's account eligible to register feeds. It submits a real proof that was recorded for this account and
 * gate, because proving needs packages of 250 MB. `bun scripts/recordDemoClaim.ts` records new proofs.
 */
export const claimEligibility = (chain: DemoChain): Promise<void> => claim(chain, chain.owner, recorded)

/** Makes the user's account eligible, by the proof of a second group. */
export const claimForUser = (chain: DemoChain): Promise<void> => claim(chain, chain.user, recordedForUser)

/** Sets the root of a proof's group as the gate's owner, and claims as the account. */
async function claim(
  { rpc, owner, devnet, packageHashes, clock }: DemoChain,
  { signer }: DemoAccount,
  proof: typeof recorded,
): Promise<void> {
  const gatePackageHash = packageHashes.EligibilityGate
  const { chainName } = devnet
  using state = openState(dirname(owner.keyPath), { purpose: 'demo' })
  const placeOf = ({ accountHash: account }: Signer) => ({
    state,
    destination: { chainName, contract: gatePackageHash, account },
  })
  const follow = { rpc, chainName, pollMs: POLL_MS, now: clock.now }
  const merkleRoot = BigInt(proof.merkle_root)
  await submitRoot(merkleRoot, {
    ...follow,
    signer: owner.signer,
    gatePackageHash,
    store: createSqliteStore({ ...placeOf(owner.signer), purpose: OwnerPurpose }),
  })
  const membership = {
    merkleRoot,
    nullifier: BigInt(proof.nullifier),
    proof: proof.proof,
    accountHash: signer.accountHash.replace(/^account-hash-/, ''),
    gatePackageHash,
  }
  await submitClaim(membership, {
    ...follow,
    signer,
    store: createSqliteStore({ ...placeOf(signer), purpose: ClaimPurpose }),
  })
}
