import recorded from '../../../fixtures/eligibility/claim.json'
import type { MembershipProof } from '../../../src/operator/eligibility/membershipProof.ts'

/** A real proof, for an account and a gate that are not on any chain. */
export const recordedClaim: MembershipProof = {
  merkleRoot: BigInt(recorded.merkle_root),
  nullifier: BigInt(recorded.nullifier),
  proof: recorded.proof,
  accountHash: recorded.message.replace('account-hash-', ''),
  gatePackageHash: recorded.scope.replace('hash-', ''),
}
