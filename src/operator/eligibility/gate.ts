import type { Cursor } from '../../bytes/cursor.ts'
import { decodeHex } from '../../bytes/hex.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getDictionaryItem, getStateRootHash } from '../../casper/state/globalState.ts'
import { readAddress } from '../../casper/types/address.ts'
import { encodeBigUint } from '../../casper/types/arguments.ts'
import { decodeField } from '../../odra/field.ts'
import { itemKey } from '../../odra/itemKey.ts'
import { fieldsOf, readContractState } from '../contracts/contractState.ts'

/** Odra's indexes of the gate's mappings; `fieldsOf` has those of its plain fields. */
export const mappings = { nullifiers: 3, eligible: 4 } as const
const U256_BYTES = 32
const ACCOUNT_TAG = 0

/** An EligibilityGate at one state root. */
export interface Gate {
  /** Returns the owner, who sets roots, as `account-hash-…`; null if none is stored. */
  getOwner(): Promise<string | null>
  /** Lists the roots that are accepted, oldest first. */
  listRoots(): Promise<bigint[]>
  isNullifierUsed(nullifier: bigint): Promise<boolean>
  /** Whether an account, 64 hex digits, may register feeds. */
  isEligible(accountHash: string): Promise<boolean>
}

/**
 * Opens a gate by its package hash, 64 hex digits, at the newest state root.
 *
 * @throws {PackageNotFoundError} if there is none.
 */
export async function openGate(rpc: Rpc, packageHash: string): Promise<Gate> {
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const { contract, read } = await readContractState(rpc, 'EligibilityGate', packageHash, stateRootHash)
  const { owner, roots } = fieldsOf.EligibilityGate
  const isSet = async (mapping: keyof typeof mappings, key: Uint8Array): Promise<boolean> => {
    const what = `EligibilityGate.${mapping}`
    const flag = await getDictionaryItem(rpc, {
      stateRootHash,
      seedUref: contract.stateUref,
      itemKey: itemKey(mappings[mapping], key),
      what,
      decode: (bytes) => decodeField(bytes, what, readFlag),
    })
    return flag ?? false
  }
  return {
    getOwner: () => read(owner, 'owner', readAddress),
    listRoots: async () => (await read(roots, 'roots', readRoots)) ?? [],
    isNullifierUsed: (nullifier) => isSet('nullifiers', encodeBigUint(nullifier, U256_BYTES)),
    isEligible: (accountHash) =>
      isSet('eligible', Uint8Array.of(ACCOUNT_TAG, ...decodeHex(accountHash, 'account hash'))),
  }
}

const readFlag = (cursor: Cursor): boolean => cursor.u8() === 1

const readRoots = (cursor: Cursor): bigint[] =>
  Array.from({ length: cursor.u32() }, () => cursor.bigUint(U256_BYTES))

/** What determines whether a claim succeeds, at one state root. */
export interface GateState {
  /** The roots that are accepted, oldest first. */
  roots: readonly bigint[]
  isNullifierUsed: boolean
  isEligible: boolean
}

/** The claim to check. */
export interface GateQuestion {
  /** 64 hex digits. */
  packageHash: string
  nullifier: bigint
  /** 64 hex digits. */
  accountHash: string
}

/** Reads an EligibilityGate. @throws {PackageNotFoundError} if there is none. */
export async function readGateState(rpc: Rpc, question: GateQuestion): Promise<GateState> {
  const gate = await openGate(rpc, question.packageHash)
  const [roots, isNullifierUsed, isEligible] = await Promise.all([
    gate.listRoots(),
    gate.isNullifierUsed(question.nullifier),
    gate.isEligible(question.accountHash),
  ])
  return { roots, isNullifierUsed, isEligible }
}
