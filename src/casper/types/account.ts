import type { ByteWriter } from '../../bytes/byteWriter.ts'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { type PrintKey, printHash, printUref, readUref } from './key.ts'
import { type NamedKeys, printNamedKeys, readNamedKeys, writeNamedKeys } from './namedKeys.ts'
import { readList } from './readList.ts'

/** An account as stored in global state. */
export interface Account {
  readonly accountHash: Uint8Array
  readonly namedKeys: NamedKeys
  /** A URef's 33 bytes. */
  readonly mainPurse: Uint8Array
  /** Account hashes of the keys that may sign for it. */
  readonly associatedKeys: readonly { readonly accountHash: Uint8Array; readonly weight: number }[]
  readonly actionThresholds: { readonly deployment: number; readonly keyManagement: number }
}

/** Reads a serialized `Account`. @throws {DecodeError} if it is not one. */
export function readAccount(cursor: Cursor): Account {
  const account = {
    accountHash: cursor.bytes(32),
    namedKeys: readNamedKeys(cursor),
    mainPurse: readUref(cursor),
    associatedKeys: readList(cursor, () => ({ accountHash: cursor.bytes(32), weight: cursor.u8() })),
    actionThresholds: { deployment: cursor.u8(), keyManagement: cursor.u8() },
  }
  const { deployment, keyManagement } = account.actionThresholds
  if (deployment > keyManagement)
    throw new DecodeError('Account', 'deployment needs more weight than key management')
  return account
}

export function writeAccount(writer: ByteWriter, account: Account): ByteWriter {
  const { accountHash, namedKeys, mainPurse, associatedKeys, actionThresholds } = account
  return writeNamedKeys(writer.bytes(accountHash), namedKeys)
    .bytes(mainPurse)
    .list(associatedKeys, (each) => writer.bytes(each.accountHash).u8(each.weight))
    .u8(actionThresholds.deployment)
    .u8(actionThresholds.keyManagement)
}

/** Reads a serialized `Account` and returns it as the node's JSON. */
export function printAccount(cursor: Cursor, printKey: PrintKey) {
  const accountHash = (): string => printHash(cursor, 'account-hash-')
  return {
    account_hash: accountHash(),
    named_keys: printNamedKeys(cursor, printKey),
    main_purse: printUref(cursor),
    associated_keys: readList(cursor, () => ({ account_hash: accountHash(), weight: cursor.u8() })),
    action_thresholds: { deployment: cursor.u8(), key_management: cursor.u8() },
  }
}
