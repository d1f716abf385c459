import type { ByteWriter } from '../../bytes/byteWriter.ts'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { formatUref, readUref } from './key.ts'
import { formatNamedKeys, type NamedKeys, readNamedKeys, writeNamedKeys } from './namedKeys.ts'

/** An account as stored in global state. */
export interface Account {
  readonly accountHash: Uint8Array
  readonly namedKeys: NamedKeys
  /** URef of 33 bytes. */
  readonly mainPurse: Uint8Array
  /** Account hashes of the keys that may sign for it. */
  readonly associatedKeys: readonly { readonly accountHash: Uint8Array; readonly weight: number }[]
  readonly actionThresholds: { readonly deployment: number; readonly keyManagement: number }
}

/** Reads a serialized `Account`. @throws {DecodeError} when it is malformed. */
export function readAccount(cursor: Cursor): Account {
  const account = {
    accountHash: cursor.bytes(32),
    namedKeys: readNamedKeys(cursor),
    mainPurse: readUref(cursor),
    associatedKeys: cursor.list(() => ({ accountHash: cursor.bytes(32), weight: cursor.u8() })),
    actionThresholds: { deployment: cursor.u8(), keyManagement: cursor.u8() },
  }
  const { deployment, keyManagement } = account.actionThresholds
  if (deployment > keyManagement)
    throw new DecodeError('Account', 'the deployment threshold exceeds the key management threshold')
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

/** Formats an account as the node's JSON. */
export function formatAccount(account: Account) {
  const { associatedKeys, actionThresholds } = account
  return {
    account_hash: formatAccountHash(account.accountHash),
    named_keys: formatNamedKeys(account.namedKeys),
    main_purse: formatUref(account.mainPurse),
    associated_keys: associatedKeys.map(({ accountHash, weight }) => ({
      account_hash: formatAccountHash(accountHash),
      weight,
    })),
    action_thresholds: {
      deployment: actionThresholds.deployment,
      key_management: actionThresholds.keyManagement,
    },
  }
}

const formatAccountHash = (hash: Uint8Array): string => `account-hash-${encodeHex(hash)}`
