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
    accountHash: cursor.bytes(HASH_BYTES),
    namedKeys: readNamedKeys(cursor),
    mainPurse: readUref(cursor),
    associatedKeys: readAssociatedKeys(cursor),
    actionThresholds: readThresholds(cursor),
  })
}

/** What is known of an account with a named key of an unknown kind. */
export type AccountEnd = Omit<Account, 'namedKeys'>

const HASH_BYTES = 32
const ASSOCIATED_KEY_BYTES = 33
/** Main purse, number of associated keys, and thresholds. */
const MIN_END_BYTES = 33 + 4 + 2
/** The networks' `max_associated_keys`. Without a limit, the time to read crafted names of keys would grow with the square of their length. */
const MAX_ASSOCIATED_KEYS = 100

/**
 * Reads an account of which a named key has an unknown kind, and so an unknown length: reads what follows the named keys from the
 * end. Returns null if its named keys can be read, and if there are several ways to read it.
 */
export function readAccountEnd(bytes: Uint8Array): AccountEnd | null {
  const cursor = createCursor(bytes, 'Account')
  const accountHash = cursor.bytes(HASH_BYTES)
  if (orNull(() => readNamedKeys(cursor)) !== null) return null
  const ends: AccountEnd[] = []
  for (let keys = 1; keys <= MAX_ASSOCIATED_KEYS; keys++) {
    const length = MIN_END_BYTES + keys * ASSOCIATED_KEY_BYTES
    if (length >= bytes.length - HASH_BYTES) break
    const end = createCursor(bytes.subarray(-length), 'Account')
    const found = orNull(() => readEnd(end))
    if (found !== null) ends.push({ accountHash, ...found })
  }
  return ends.length === 1 ? (ends[0] ?? null) : null
}

/** @throws {DecodeError} if the bytes are not a main purse, associated keys, and thresholds. */
function readEnd(cursor: Cursor): Omit<AccountEnd, 'accountHash'> {
  const end = {
    mainPurse: readUref(cursor),
    associatedKeys: readAssociatedKeys(cursor),
    actionThresholds: readThresholds(cursor),
  }
  cursor.end()
  return assertThresholds(end)
}

export const readAssociatedKeys = (cursor: Cursor): Account['associatedKeys'] =>
  cursor.list(() => ({ accountHash: cursor.bytes(32), weight: cursor.u8() }))

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
    associated_keys: formatAssociatedKeys(associatedKeys),
    action_thresholds: {
      deployment: actionThresholds.deployment,
      key_management: actionThresholds.keyManagement,
    },
  }
}

export const formatAssociatedKeys = (keys: Account['associatedKeys']) =>
  keys.map(({ accountHash, weight }) => ({ account_hash: formatAccountHash(accountHash), weight }))

/** An account in the node's JSON. */
export interface ParsedAccount extends Omit<Account, 'namedKeys'> {
  /** Formatted keys by name: they may be of kinds of a later protocol. Null if the account is an addressable entity. */
  readonly namedKeys: ReadonlyMap<string, string> | null
}

/** More than fit into an answer. */
const MAX_NAMED_KEYS = 16_384

export const parseAccount: Decode<ParsedAccount> = (json, what) => {
  const of = members(json, what)
  return {
    accountHash: of('account_hash', hashText),
    namedKeys: new Map(of('named_keys', listOf(namedKeyJson, MAX_NAMED_KEYS))),
    ...parseAuthority(json, what),
  }
}

/** Decodes an account that is an addressable entity, whose named keys are stored apart. */
export const parseEntityAccount: Decode<ParsedAccount> = (json, what) => {
  const accountHash = members(json, what)('entity_kind', members)('Account', hashText)
  return { accountHash, namedKeys: null, ...parseAuthority(json, what) }
}

const parseAuthority: Decode<Omit<Account, 'accountHash' | 'namedKeys'>> = (json, what) => {
  const of = members(json, what)
  const thresholds = of('action_thresholds', members)
  return assertThresholds({
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
