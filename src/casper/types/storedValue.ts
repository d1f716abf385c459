import { bytesToHex } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { readAccount, type StoredAccount } from './accountBytes.ts'
import { type ClType, readClType } from './clType.ts'
import { readContract, type StoredContract } from './contractBytes.ts'
import { readContractPackage, type StoredContractPackage } from './contractPackageBytes.ts'
import { type EraInfo, readEraInfo } from './eraInfo.ts'

/** A `CLValue` as a node prints it, without `parsed`, which says nothing that `bytes` does not. */
export interface ClValue {
  cl_type: ClType
  /** Lower-case hex. */
  bytes: string
}

/** A `stored_value` as a node prints it: what decodes a node's answer decodes this too. */
export type StoredValue =
  | { CLValue: ClValue }
  | { Account: StoredAccount }
  | { Contract: StoredContract }
  | { ContractPackage: StoredContractPackage }
  | { EraInfo: EraInfo }

/** Reads a serialized `StoredValue`. @throws {DecodeError} on a kind that no reader asks for. */
export function readStoredValue(cursor: Cursor): StoredValue {
  const tag = cursor.u8()
  switch (tag) {
    case 0:
      return { CLValue: readClValue(cursor) }
    case 1:
      return { Account: readAccount(cursor) }
    case 3:
      return { Contract: readContract(cursor) }
    case 4:
      return { ContractPackage: readContractPackage(cursor) }
    case 7:
      return { EraInfo: readEraInfo(cursor) }
    default:
      throw new DecodeError('StoredValue', `tag ${tag} is unknown`)
  }
}

/** Reads a serialized `CLValue`: a `u32` length, that many bytes, then their type. */
export function readClValue(cursor: Cursor): ClValue {
  const bytes = bytesToHex(cursor.bytes(cursor.u32()))
  return { cl_type: readClType(cursor), bytes }
}
