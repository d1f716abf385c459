import { type ByteWriter, type Cursor, createCursor, DecodeError, encodeHex } from '@wattfeed/base'
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
    associatedKeys: cursor.list(readAssociatedKey),
    actionThresholds: readThresholds(cursor),
  })
}

/** What is known of an account with a named key of an unknown kind. */
export type AccountEnd = Omit<Account, 'namedKeys'>

const HASH_BYTES = 32
const UREF_BYTES = 33
const COUNT_BYTES = 4
const ASSOCIATED_KEY_BYTES = 33
const THRESHOLDS_BYTES = 2

/**
 * Reads an account of which a named key has an unknown kind, and so an unknown length: reads what follows the named keys from the
 * end. Returns null if its named keys can be read, and if there are several ways to read it.
 */
export function readAccountEnd(bytes: Uint8Array): AccountEnd | null {
  const accountHash = bytes.subarray(0, HASH_BYTES)
  const cursor = createCursor(bytes.subarray(HASH_BYTES), 'Account')
  if (orNull(() => readNamedKeys(cursor)) !== null) return null
  const ends: AccountEnd[] = []
  for (let count = 1; ; count++) {
    const length = UREF_BYTES + COUNT_BYTES + count * ASSOCIATED_KEY_BYTES + THRESHOLDS_BYTES
    if (HASH_BYTES + COUNT_BYTES + length > bytes.length) break
    const end = orNull(() => readEnd(bytes.subarray(-length), count))
    if (end !== null) ends.push({ accountHash, ...end })
  }
  return ends.length === 1 ? (ends[0] ?? null) : null
}

/** @throws {DecodeError} if the bytes are not a main purse, this number of associated keys, and thresholds. */
function readEnd(bytes: Uint8Array, count: number): Omit<AccountEnd, 'accountHash'> {
  const cursor = createCursor(bytes, 'Account')
  const mainPurse = readUref(cursor)
  const associatedKeys = cursor.list(() => readAssociatedKey(cursor))
  const actionThresholds = readThresholds(cursor)
  cursor.end()
  const hashes = associatedKeys.map(({ accountHash }) => encodeHex(accountHash))
  if (count !== hashes.length || hashes.some((hash, index) => index > 0 && hash <= (hashes[index - 1] ?? '')))
    throw new DecodeError('Account', 'the associated keys are not in order')
  return assertThresholds({ mainPurse, associatedKeys, actionThresholds })
}

const readAssociatedKey = (cursor: Cursor) => ({ accountHash: cursor.bytes(32), weight: cursor.u8() })

const readThresholds = (cursor: Cursor) => ({ deployment: cursor.u8(), keyManagement: cursor.u8() })

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** Returns the account if a node allows its thresholds, else throws a {@link DecodeError}. */
function assertThresholds<T extends Pick<Account, 'actionThresholds'>>(account: T): T {
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
  const { account_hash, ...end } = formatAccountEnd(account)
  return { account_hash, named_keys: formatNamedKeys(account.namedKeys), ...end }
}

export function formatAccountEnd({ accountHash, mainPurse, associatedKeys, actionThresholds }: AccountEnd) {
  return {
    account_hash: formatAccountHash(accountHash),
    main_purse: formatUref(mainPurse),
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

/** An account in the node's JSON. */
export interface ParsedAccount extends Omit<Account, 'namedKeys'> {
  /** Formatted keys by name: they may be of kinds of a later protocol. */
  readonly namedKeys: ReadonlyMap<string, string>
}

/** More than fit into an answer. */
const MAX_NAMED_KEYS = 16_384

export const parseAccount: Decode<ParsedAccount> = (json, what) => {
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

const urefText: Decode<Uint8Array> = (value, what) => {
  const key = parseKey(text(value, what))
  if (key[0] !== keyTags.uref) throw new DecodeError(what, 'expected a URef')
  return key.subarray(1)
}

const namedKeyJson: Decode<[string, string]> = (entry, what) => {
  const of = members(entry, what)
  return [of('name', text), of('key', text)]
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
export function sumWeights(
  { associatedKeys }: Pick<Account, 'associatedKeys'>,
  signers?: readonly Uint8Array[],
): number {
  const hashes = signers && new Set(signers.map(encodeHex))
  const counted = associatedKeys.filter(({ accountHash }) => !hashes || hashes.has(encodeHex(accountHash)))
  return counted.reduce((sum, { weight }) => sum + weight, 0)
}
