import type { PendingStore } from '../operator/eligibility/pendingFile.ts'
import { submitClaim } from '../operator/eligibility/submitClaim.ts'
import { submitRoot } from '../operator/eligibility/submitRoot.ts'
import recorded from './claim.json' with { type: 'json' }
import { type DemoChain, POLL_MS } from './demoChain.ts'

/**
 * Makes the demo's account eligible to register feeds, by a real proof that was made for this account and this gate
 * beforehand, because proving takes packages of 250 MB. `bun scripts/recordDemoClaim.ts` makes a new one.
 */
export async function claimEligibility({
  rpc,
  signer,
  devnet,
  packageHashes,
  clock,
}: DemoChain): Promise<void> {
  const gatePackageHash = packageHashes.EligibilityGate
  const follow = { rpc, signer, chainName: devnet.chainName, pollMs: POLL_MS, now: clock.now }
  const merkleRoot = BigInt(recorded.merkle_root)
  await submitRoot(merkleRoot, { ...follow, gatePackageHash })
  const claim = {
    merkleRoot,
    nullifier: BigInt(recorded.nullifier),
    proof: recorded.proof,
    accountHash: signer.accountHash.replace(/^account-hash-/, ''),
    gatePackageHash,
  }
  await submitClaim(claim, { ...follow, pending: nothingPending })
}

/** A chain that is gone with the process leaves nothing to follow. */
const nothingPending: PendingStore = {
  read: async () => null,
  write: async () => {},
  clear: async () => {},
}
