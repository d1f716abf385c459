import { dirname } from 'node:path'
import { createClaimStore, submitClaim } from '../operator/eligibility/submitClaim.ts'
import { createOwnerCallStore, submitRoot } from '../operator/eligibility/submitOwnerCall.ts'
import recorded from './claim.json' with { type: 'json' }
import { type DemoChain, POLL_MS } from './demoChain.ts'

/**
 * Makes the demo's account eligible to register feeds. It submits a real proof that was recorded for this account and
 * gate, because proving needs packages of 250 MB. `bun scripts/recordDemoClaim.ts` records a new proof.
 */
export async function claimEligibility({
  rpc,
  signer,
  devnet,
  keyPath,
  packageHashes,
  clock,
}: DemoChain): Promise<void> {
  const gatePackageHash = packageHashes.EligibilityGate
  const { chainName } = devnet
  const stateDir = dirname(keyPath)
  const follow = { rpc, signer, chainName, pollMs: POLL_MS, now: clock.now }
  const merkleRoot = BigInt(recorded.merkle_root)
  await submitRoot(merkleRoot, {
    ...follow,
    gatePackageHash,
    store: createOwnerCallStore(stateDir, chainName, gatePackageHash),
  })
  const claim = {
    merkleRoot,
    nullifier: BigInt(recorded.nullifier),
    proof: recorded.proof,
    accountHash: signer.accountHash.replace(/^account-hash-/, ''),
    gatePackageHash,
  }
  await submitClaim(claim, {
    ...follow,
    store: createClaimStore(stateDir, chainName, gatePackageHash),
  })
}
