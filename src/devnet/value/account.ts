import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import type { ByteWriter } from './byteWriter.ts'
import { readUref } from './clValueJson.ts'
import { formatUref } from './formatKey.ts'
import { type NamedKeys, namedKeysJson, readNamedKeys, writeNamedKeys } from './namedKeys.ts'

/** An account as global state keeps it. */
export interface Account {
  readonly accountHash: Uint8Array
  readonly namedKeys: NamedKeys
  /** A URef's 33 bytes. */
  readonly mainPurse: Uint8Array
  /** Account hashes of the keys that may sign for it. */
  readonly associatedKeys: readonly { readonly accountHash: Uint8Array; readonly weight: number }[]
  readonly actionThresholds: { readonly deployment: number; readonly keyManagement: number }
}

export function writeAccount(writer: ByteWriter, account: Account): ByteWriter {
  const { accountHash, namedKeys, mainPurse, associatedKeys, actionThresholds } = account
  writeNamedKeys(writer.bytes(accountHash), namedKeys).bytes(mainPurse).u32(associatedKeys.length)
  for (const each of associatedKeys) writer.bytes(each.accountHash).u8(each.weight)
  return writer.u8(actionThresholds.deployment).u8(actionThresholds.keyManagement)
}

/** Throws a `DecodeError`. */
export function readAccount(cursor: Cursor): Account {
  const accountHash = cursor.bytes(32)
  const namedKeys = readNamedKeys(cursor)
  const mainPurse = readUref(cursor)
  const associatedKeys = []
  for (let rest = cursor.u32(); rest > 0; rest--)
    associatedKeys.push({ accountHash: cursor.bytes(32), weight: cursor.u8() })
  const actionThresholds = { deployment: cursor.u8(), keyManagement: cursor.u8() }
  if (actionThresholds.deployment > actionThresholds.keyManagement)
    throw new DecodeError('Account', 'deployment needs more weight than key management')
  return { accountHash, namedKeys, mainPurse, associatedKeys, actionThresholds }
}

export function accountJson(account: Account): object {
  const { accountHash, namedKeys, mainPurse, associatedKeys, actionThresholds } = account
  return {
    account_hash: `account-hash-${encodeHex(accountHash)}`,
    named_keys: namedKeysJson(namedKeys),
    main_purse: formatUref(mainPurse),
    associated_keys: associatedKeys.map((each) => ({
      account_hash: `account-hash-${encodeHex(each.accountHash)}`,
      weight: each.weight,
    })),
    action_thresholds: {
      deployment: actionThresholds.deployment,
      key_management: actionThresholds.keyManagement,
    },
  }
}
