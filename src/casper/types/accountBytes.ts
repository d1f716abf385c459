import { bytesToHex } from '@noble/hashes/utils.js'
import type { Cursor } from '../../bytes/cursor.ts'
import { type NamedKey, readNamedKeys } from './contractBytes.ts'
import { readUref } from './key.ts'
import { readList } from './readList.ts'

/** A stored `Account` as a node prints it. */
export interface StoredAccount {
  account_hash: string
  named_keys: NamedKey[]
  main_purse: string
  associated_keys: { account_hash: string; weight: number }[]
  action_thresholds: { deployment: number; key_management: number }
}

/** Reads a serialized `Account`. @throws {DecodeError} where it is none. */
export function readAccount(cursor: Cursor): StoredAccount {
  const accountHash = (): string => `account-hash-${bytesToHex(cursor.bytes(32))}`
  return {
    account_hash: accountHash(),
    named_keys: readNamedKeys(cursor),
    main_purse: readUref(cursor),
    associated_keys: readList(cursor, () => ({ account_hash: accountHash(), weight: cursor.u8() })),
    action_thresholds: { deployment: cursor.u8(), key_management: cursor.u8() },
  }
}
