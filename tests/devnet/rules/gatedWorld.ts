import { expect } from 'bun:test'
import type { Signer } from '@wattfeed/casper/transaction'
import { clAddress, clU256 } from '@wattfeed/casper/types'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { builtContract, installRegistries } from 'wattfeed/testing/installRegistries'
import { createRulesChain } from 'wattfeed/testing/rulesChain'
import { type Booted, type World, worldOn } from 'wattfeed/testing/world'
import { BOOT_TIME } from '../../../src/demo/bootClock.ts'
import recorded from '../../../src/demo/claim.json'
import { openGate } from '../../../src/operator/eligibility/gate.ts'
import type { MembershipProof } from '../../../src/operator/eligibility/membershipProof.ts'
import { claimArguments } from '../../../src/operator/eligibility/submitClaim.ts'

/** The demo's proof, valid only for its account at the gate that it installs when its clock starts. */
export const recordedClaim: MembershipProof = {
  merkleRoot: BigInt(recorded.merkle_root),
  nullifier: BigInt(recorded.nullifier),
  proof: recorded.proof,
  accountHash: recorded.message.replace('account-hash-', ''),
  gatePackageHash: recorded.scope.replace('hash-', ''),
}

/** When the demo signs the gate's installation: the time of its second block, by a clock that stands still. */
export const GATE_TIME = BOOT_TIME + 2

/** Registries with the real gate, whose owner is the account that the proof is for. */
export interface GatedWorld extends World {
  setRoot(root: bigint): Promise<string | null>
  removeRoot(root: bigint): Promise<string | null>
  revoke(): Promise<string | null>
  claim(changes?: Partial<MembershipProof>, signer?: Signer): Promise<string | null>
  listRoots(): Promise<bigint[]>
  /** Whether an account may register feeds; by default the account of the proof. */
  isEligible(signer?: Signer): Promise<boolean>
}

export async function createGatedWorld(): Promise<GatedWorld> {
  const booted = await bootOnce('', bootGated)
  const chain = booted.chain.fork()
  const { packages } = booted
  const { owner, devnet, call } = chain
  const gate = () => openGate(rpcOf(devnet.call, { chainName: devnet.chainName }), packages.Gate)
  return {
    ...worldOn(chain, packages),
    setRoot: (root) => call(owner, packages.Gate, 'set_root', { root: clU256(root) }),
    removeRoot: (root) => call(owner, packages.Gate, 'remove_root', { root: clU256(root) }),
    revoke: () => call(owner, packages.Gate, 'revoke', { who: clAddress(owner.accountHash) }),
    claim: (changes, signer = owner) =>
      call(signer, packages.Gate, 'claim', claimArguments({ ...recordedClaim, ...changes })),
    listRoots: async () => (await gate()).listRoots(),
    isEligible: async (signer = owner) =>
      (await gate()).isEligible(signer.accountHash.replace('account-hash-', '')),
  }
}

const bootOnce = createBootOnce<Booted>()

async function bootGated(): Promise<Booted> {
  const chain = await createRulesChain({ seed: 'wattfeed demo', startMs: GATE_TIME })
  const { owner, sender } = chain
  const installer = { signer: owner, account: owner.accountHash }
  const gate = await builtContract('EligibilityGate', owner.accountHash)
  const packages = await installRegistries(sender, installer, gate)
  const { accountHash, gatePackageHash } = recordedClaim
  // If this fails, create the proof again: `bun scripts/recordDemoClaim.ts`.
  expect([owner.accountHash, packages.Gate]).toEqual([`account-hash-${accountHash}`, gatePackageHash])
  return { chain, packages }
}
