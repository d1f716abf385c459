import { describe, expect, test } from 'bun:test'
import recorded from '../../../fixtures/eligibility/hiddenTree.json'
import { verifyMembershipProof } from '../../../src/operator/eligibility/membershipProof.ts'
import { createGatedWorld, type GatedWorld, recordedClaim } from './gatedWorld.ts'

const UNKNOWN_ROOT = 'User error: 2'
const INVALID_PROOF = 'User error: 5'
const MALFORMED_ROOT = 'User error: 7'

type Recorded = (typeof recorded.keys.proofs)[number]

const statementOf = ({ merkle_root, nullifier, proof }: Recorded) => ({
  merkleRoot: BigInt(merkle_root),
  nullifier: BigInt(nullifier),
  proof,
})

/** Claims with each of the two hidden identities for its own account; returns the gate's answers. */
async function claimHidden(world: GatedWorld, proofs: readonly Recorded[], merkleRoot?: bigint) {
  const answers: (string | null)[] = []
  for (const [index, signer] of [world.owner, world.alice].entries()) {
    const [proof] = proofs.slice(index)
    if (proof === undefined) throw new Error('there is a proof for each account')
    expect(proof.message).toBe(signer.accountHash)
    const statement = statementOf(proof)
    answers.push(
      await world.claim({ ...statement, ...(merkleRoot === undefined ? {} : { merkleRoot }) }, signer),
    )
  }
  return answers
}

const eligible = (world: GatedWorld) =>
  Promise.all([world.owner, world.alice].map((signer) => world.isEligible(signer)))

// The gate's own wasm, on the embedded chain; the proofs are what Semaphore's circuit made of the attack.
describe('a member submits the root of a tree of two identities', () => {
  test.each([
    ['as a commitment', recorded.commitments],
    ['as a coordinate of a valid public key', recorded.keys],
  ])('behavior: %s: in a tree of Semaphore’s own, both claim, and the gate cannot tell', async (_, group) => {
    await using world = await createGatedWorld()
    expect(await world.setRoot(BigInt(group.root))).toBeNull()
    expect(await claimHidden(world, group.proofs)).toEqual([null, null])
    expect(await eligible(world)).toEqual([true, true])
    // The others remain after one is revoked.
    expect([await world.revoke(), await eligible(world)]).toEqual([null, [false, true]])
  })

  test('error: in a group of ours no path is left: the circuit answers root 0, or an inner node', async () => {
    await using world = await createGatedWorld()
    const { root, too_long, cut } = recorded.filled
    expect(await world.setRoot(BigInt(root))).toBeNull()
    expect(too_long.map(({ merkle_root }) => merkle_root)).toEqual(['0', '0'])
    // The proofs are valid, but the gate does not accept what they prove.
    const { accountHash, gatePackageHash } = recordedClaim
    for (const [proof] of [too_long, cut])
      if (proof !== undefined)
        expect(
          await verifyMembershipProof({ ...statementOf(proof), accountHash, gatePackageHash }),
        ).toBeTrue()
    for (const proofs of [too_long, cut]) {
      expect(await claimHidden(world, proofs)).toEqual([UNKNOWN_ROOT, UNKNOWN_ROOT])
      expect(await claimHidden(world, proofs, BigInt(root))).toEqual([INVALID_PROOF, INVALID_PROOF])
    }
    expect(await world.setRoot(0n)).toBe(MALFORMED_ROOT)
    expect(await eligible(world)).toEqual([false, false])
  })
})
