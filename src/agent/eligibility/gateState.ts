import type { Cursor } from '../../bytes/cursor.ts'
import { decodeHex } from '../../bytes/hex.ts'
import { getDictionaryItem } from '../../casper/dictionaryItem.ts'
import type { Rpc } from '../../casper/rpc.ts'
import { getStateRootHash } from '../../casper/stateRootHash.ts'
import { decodeField } from '../../odra/field.ts'
import { itemKey } from '../../odra/itemKey.ts'
import { readContractState } from '../contracts/contractState.ts'
import { fieldsOf } from '../contracts/layout.ts'
import { encodeBigUint } from '../transaction/encode.ts'

/** Odra's numbers of the gate's mappings; `fieldsOf` has those of its plain fields. */
export const mappings = { nullifiers: 3, eligible: 4 } as const
const U256_BYTES = 32
const ACCOUNT_TAG = 0

/** What decides on a claim, all at one state root. */
export interface GateState {
  /** The roots that count, oldest first. */
  roots: readonly bigint[]
  isNullifierUsed: boolean
  isEligible: boolean
}

/** Whose claim it is, and by which nullifier. */
export interface GateQuestion {
  /** 64 hex digits. */
  packageHash: string
  nullifier: bigint
  /** 64 hex digits. */
  accountHash: string
}

/** Reads an EligibilityGate. Throws a `PackageNotFoundError` where there is none. */
export async function readGateState(rpc: Rpc, question: GateQuestion): Promise<GateState> {
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const gate = await readContractState(rpc, 'EligibilityGate', question.packageHash, stateRootHash)
  const isSet = async (what: keyof typeof mappings, key: Uint8Array): Promise<boolean> => {
    const value = await getDictionaryItem(rpc, {
      stateRootHash,
      seedUref: gate.contract.stateUref,
      itemKey: itemKey(mappings[what], key),
      what: `EligibilityGate.${what}`,
      decode: (bytes) => decodeField(bytes, `EligibilityGate.${what}`, readFlag),
    })
    return value ?? false
  }
  const [roots, isNullifierUsed, isEligible] = await Promise.all([
    gate.read(fieldsOf.EligibilityGate.roots, 'roots', readRoots),
    isSet('nullifiers', encodeBigUint(question.nullifier, U256_BYTES)),
    isSet('eligible', Uint8Array.of(ACCOUNT_TAG, ...decodeHex(question.accountHash, 'account hash'))),
  ])
  return { roots: roots ?? [], isNullifierUsed, isEligible }
}

const readFlag = (cursor: Cursor): boolean => cursor.u8() === 1

/** The roots that count, oldest first. */
export const readRoots = (cursor: Cursor): bigint[] =>
  Array.from({ length: cursor.u32() }, () => cursor.bigUint(U256_BYTES))
