import {
  accountKey,
  addressOf,
  decodeDictionaryItem,
  formatKey,
  formatServedValue,
  hashKey,
  keyTags,
  type StoredValue,
} from '@wattfeed/casper/types'
import type { ChainView } from '../chain/chainView.ts'
import { dictionaryItemKey } from '../engine/hostFunctions/dictionaries.ts'
import { hashOf, requiredField, textOf, variantOf } from '../params.ts'
import { hashAfter, keyFault, parseUref, tryParseKey } from './keyTexts.ts'
import { namedKeysOf, readServedValue, type StateRead } from './readServedValue.ts'
import { invalidDictionaryKey, notStored, RefusedCallError, requestFailed } from './refusedCall.ts'

/** `state_get_dictionary_item`: an item by its key, by its dictionary's seed URef, or by a named key of that URef. */
export function stateGetDictionaryItem(view: ChainView, params: unknown): object {
  const read = { stateRootHash: hashOf(requiredField(params, 'state_root_hash')), what: 'dictionary item' }
  const key = requestedItem(view, read, requiredField(params, 'dictionary_identifier'))
  const found = readServedValue(view, read, key)
  if (found === null) throw notStored()
  return {
    dictionary_key: formatKey(key),
    stored_value: formatServedValue(unwrap(found.value)),
    merkle_proof: found.merkleProof,
  }
}

/** Removes the seed URef and the item key that are stored with the value, like a node. */
function unwrap(stored: StoredValue): StoredValue {
  if (stored.kind !== 'CLValue') return stored
  return { kind: 'CLValue', value: decodeDictionaryItem(stored.value).value }
}

/** Returns the key of a requested item, whether or not it exists. */
function requestedItem(view: ChainView, read: StateRead, identifier: unknown): Uint8Array {
  const { name, content } = variantOf(identifier, [
    'AccountNamedKey',
    'ContractNamedKey',
    'EntityNamedKey',
    'URef',
    'Dictionary',
  ])
  if (name === 'Dictionary') return parseItemKey(textOf(content))
  const itemName = textOf(requiredField(content, 'dictionary_item_key'))
  if (name === 'URef') {
    const seed = parseUref(textOf(requiredField(content, 'seed_uref')), invalidDictionaryKey)
    return dictionaryItemKey(seed, itemName)
  }
  const owner = ownerKey(name, textOf(requiredField(content, 'key')))
  const dictionaryName = textOf(requiredField(content, 'dictionary_name'))
  const seed = owner && namedKeysOf(readOwner(view, read, owner)).get(dictionaryName)
  if (seed?.[0] !== keyTags.uref) throw unknownDictionary()
  return dictionaryItemKey(addressOf(seed), itemName)
}

const unknownDictionary = (): RefusedCallError =>
  requestFailed('dictionary item', 'dictionary URef not found')

/** Reads the owner of a dictionary. An unknown state root gets the error of an unknown dictionary, like in a node. */
function readOwner(view: ChainView, read: StateRead, owner: Uint8Array): StoredValue | undefined {
  try {
    return readServedValue(view, read, owner)?.value
  } catch (error) {
    throw error instanceof RefusedCallError ? unknownDictionary() : error
  }
}

function parseItemKey(text: string): Uint8Array {
  const key = tryParseKey(text)
  if (key?.[0] === keyTags.dictionary) return key
  throw invalidDictionaryKey(key === null ? keyFault(text) : 'not a dictionary key')
}

const ownerPrefixes = {
  AccountNamedKey: ['account-hash-', 'entity-account-'],
  ContractNamedKey: ['hash-', 'contract-'],
  EntityNamedKey: ['entity-system-', 'entity-contract-', 'entity-account-'],
} as const

/** Parses the key of an account or a contract. Null for an addressable entity, which this chain does not have. */
function ownerKey(name: keyof typeof ownerPrefixes, text: string): Uint8Array | null {
  const hash = hashAfter(ownerPrefixes[name], text)
  const isEntity = name === 'EntityNamedKey'
  if (hash === null)
    throw invalidDictionaryKey(isEntity ? 'invalid prefix' : `prefix is not '${ownerPrefixes[name][0]}'`)
  if (isEntity) return null
  return text.includes('account-') ? accountKey(hash) : hashKey(hash)
}
