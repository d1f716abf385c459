import { type ByteWriter, type Cursor, DecodeError, encodeHex } from '@wattfeed/base'
import { formatAccountHash, parseAccountHash } from './accountHash.ts'
import { byte, type Decode, listOf, members, text } from './jsonField.ts'
import { formatUref, keyTags, readUref } from './key.ts'
import { parseKey } from './keyKinds.ts'
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

export function readAccount(cursor: Cursor): Account {
  return assertThresholds({
    accountHash: cursor.bytes(32),
    namedKeys: readNamedKeys(cursor),
    mainPurse: readUref(cursor),
    associatedKeys: cursor.list(() => ({ accountHash: cursor.bytes(32), weight: cursor.u8() })),
    actionThresholds: { deployment: cursor.u8(), keyManagement: cursor.u8() },
  })
}

/** Returns the account if a node allows its thresholds, else throws a {@link DecodeError}. */
function assertThresholds(account: Account): Account {
  const { deployment, keyManagement } = account.actionThresholds
  if (deployment > keyManagement)
    throw new DecodeError('Account', 'the deployment threshold exceeds the key management threshold')
  return account
}

/** Writes an account in `bytesrepr`. */
export function writeAccount(writer: ByteWriter, account: Account): ByteWriter {
  const { accountHash, namedKeys, mainPurse, associatedKeys, actionThresholds } = account
  return writeNamedKeys(writer.bytes(accountHash), namedKeys)
    .bytes(mainPurse)
    .list(associatedKeys, (each) => writer.bytes(each.accountHash).u8(each.weight))
    .u8(actionThresholds.deployment)
    .u8(actionThresholds.keyManagement)
}

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

/** More than fit into an answer. */
const MAX_NAMED_KEYS = 16_384

export const parseAccount: Decode<Account> = (json, what) => {
  const of = members(json, what)
  const thresholds = of('action_thresholds', members)
  return assertThresholds({
    accountHash: of('account_hash', hashText),
    namedKeys: new Map(of('named_keys', listOf(namedKeyJson, MAX_NAMED_KEYS))),
    mainPurse: of('main_purse', urefText),
    associatedKeys: of('associated_keys', listOf(associatedKeyJson)),
    actionThresholds: {
      deployment: thresholds('deployment', byte),
      keyManagement: thresholds('key_management', byte),
    },
  })
}

const keyText: Decode<Uint8Array> = (value, what) => parseKey(text(value, what))

const urefText: Decode<Uint8Array> = (value, what) => {
  const key = keyText(value, what)
  if (key[0] !== keyTags.uref) throw new DecodeError(what, 'expected a URef')
  return key.subarray(1)
}

const namedKeyJson: Decode<[string, Uint8Array]> = (entry, what) => {
  const of = members(entry, what)
  return [of('name', text), of('key', keyText)]
}

const associatedKeyJson: Decode<Account['associatedKeys'][number]> = (entry, what) => {
  const of = members(entry, what)
  return { accountHash: of('account_hash', hashText), weight: of('weight', byte) }
}

const hashText: Decode<Uint8Array> = (value, what) => {
  const hash = parseAccountHash(text(value, what))
  if (hash === null) throw new DecodeError(what, 'expected an account hash')
  return hash
}

/**
 * Returns the total weight of the signatures of some keys, by default of all keys. It is exact, unlike the sum of a
 * node, which stops at 255. Each key counts once.
 */
export function sumWeights({ associatedKeys }: Account, signers?: readonly Uint8Array[]): number {
  const hashes = signers && new Set(signers.map(encodeHex))
  const counted = associatedKeys.filter(({ accountHash }) => !hashes || hashes.has(encodeHex(accountHash)))
  return counted.reduce((sum, { weight }) => sum + weight, 0)
}
