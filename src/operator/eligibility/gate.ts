import { type Cursor, decodeHex } from '@wattfeed/base'
import { getStateRootHash, type Rpc, readAddress } from '@wattfeed/casper'
import { accountKey, clU256 } from '@wattfeed/casper/types'
import { eligibilityGateFields } from 'wattfeed/internal'
import { readContractState } from '../contracts/contractState.ts'
import { readRoots } from '../contracts/deploymentState.ts'
import type { MembershipProof } from './membershipProof.ts'

export interface Gate {
  /** Returns the owner, who sets roots, as `account-hash-…`; null if none is stored. */
  getOwner(): Promise<string | null>
  /** Lists the roots that are accepted, oldest first. */
  listRoots(): Promise<bigint[]>
  isNullifierUsed(nullifier: bigint): Promise<boolean>
  /** Returns whether an account, 64 hex digits, may register feeds. */
  isEligible(accountHash: string): Promise<boolean>
}

/**
 * Opens a gate by its package hash, 64 hex digits, at the newest state root.
 *
 * @throws {PackageNotFoundError} if there is none.
 */
export async function openGate(rpc: Rpc, packageHash: string): Promise<Gate> {
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const { read } = await readContractState(rpc, 'EligibilityGate', packageHash, stateRootHash)
  const { owner, roots, nullifiers, eligible } = eligibilityGateFields
  return {
    getOwner: () => read(owner, 'owner', readAddress),
    listRoots: async () => (await read(roots, 'roots', readRoots)) ?? [],
    isNullifierUsed: async (nullifier) =>
      (await read(nullifiers, 'nullifiers', readFlag, clU256(nullifier).bytes)) ?? false,
    isEligible: async (accountHash) =>
      (await read(eligible, 'eligible', readFlag, accountKey(decodeHex(accountHash, 'account hash')))) ??
      false,
  }
}

const readFlag = (cursor: Cursor): boolean => cursor.u8() === 1

/** The state that determines whether a claim succeeds, at one state root. */
export interface GateState {
  /** The roots that are accepted, oldest first. */
  roots: readonly bigint[]
  isNullifierUsed: boolean
  isEligible: boolean
}

export async function readGateState(
  rpc: Rpc,
  {
    gatePackageHash,
    nullifier,
    accountHash,
  }: Pick<MembershipProof, 'gatePackageHash' | 'nullifier' | 'accountHash'>,
): Promise<GateState> {
  const gate = await openGate(rpc, gatePackageHash)
  const [roots, isNullifierUsed, isEligible] = await Promise.all([
    gate.listRoots(),
    gate.isNullifierUsed(nullifier),
    gate.isEligible(accountHash),
  ])
  return { roots, isNullifierUsed, isEligible }
}
