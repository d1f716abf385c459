import { encodeHex } from '../../bytes/hex.ts'
import { decodeDictionaryItem } from '../../casper/types/clValue.ts'
import { accountKey, addressOf, dictionaryKey, hashKey, keyTags } from '../../casper/types/key.ts'
import { formatKey } from '../../casper/types/keyKinds.ts'
import { formatServedValue, type StoredValue } from '../../casper/types/storedValue.ts'
import { blake2b } from '../blake2b.ts'
import type { ChainView } from '../chain/chainView.ts'
import { hashOf, listOf, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { hashAfter, keyFault, keyParam, parseUref, tryParseKey } from './keyTexts.ts'
import { namedKeysOf, queryState, readState, type StateRead } from './readState.ts'
import { invalidDictionaryKey, notStored, RefusedCallError, requestFailed } from './refusedCall.ts'
import { requestedState } from './requestedBlock.ts'

/** `query_global_state`: the value of a key, or at the end of a path that starts at the key. */
export function queryGlobalState(view: ChainView, params: unknown): object {
  const { stateRootHash, block } = requestedState(view, params)
  return {
    block_header: block === null ? null : { Version2: block.json.block.Version2.header },
    ...queried(view, stateRootHash, params),
  }
}

export function stateGetItem(view: ChainView, params: unknown): object {
  return queried(view, hashOf(requiredField(params, 'state_root_hash')), params)
}

/** `state_get_trie`: the bytes of one element of the trie. Null if the chain has no such element, like in a node. */
export function stateGetTrie(view: ChainView, params: unknown): object {
  const element = view.trieElement(hashOf(requiredField(params, 'trie_key')))
  return { maybe_trie_bytes: element && encodeHex(element) }
}

function queried(view: ChainView, stateRootHash: string, params: unknown): object {
  const key = keyParam(requiredField(params, 'key'))
  const path = listOf(recordOf(params).path ?? []).map(textOf)
  const read = { stateRootHash, what: 'global state item' }
  const { value, merkleProof } = queryState(view, read, key, path)
  return { stored_value: formatServedValue(value), merkle_proof: merkleProof }
}

const utf8 = new TextEncoder()

/** `state_get_dictionary_item`: an item by its key, by its dictionary's seed URef, or by a named key of that URef. */
export function stateGetDictionaryItem(view: ChainView, params: unknown): object {
  const read = { stateRootHash: hashOf(requiredField(params, 'state_root_hash')), what: 'dictionary item' }
  const key = itemKeyOf(view, read, requiredField(params, 'dictionary_identifier'))
  const found = readState(view, read, key)
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

function itemKeyOf(view: ChainView, read: StateRead, identifier: unknown): Uint8Array {
  const { name, content } = variantOf(identifier, [
    'AccountNamedKey',
    'ContractNamedKey',
    'EntityNamedKey',
    'URef',
    'Dictionary',
  ])
  if (name === 'Dictionary') return itemKey(textOf(content))
  const itemName = textOf(requiredField(content, 'dictionary_item_key'))
  if (name === 'URef') {
    const seed = parseUref(textOf(requiredField(content, 'seed_uref')), invalidDictionaryKey)
    return itemOf(seed, itemName)
  }
  const owner = ownerKey(name, textOf(requiredField(content, 'key')))
  const dictionaryName = textOf(requiredField(content, 'dictionary_name'))
  const seed = owner && namedKeysOf(readOwner(view, read, owner)).get(dictionaryName)
  if (seed?.[0] !== keyTags.uref) throw unknownDictionary()
  return itemOf(addressOf(seed), itemName)
}

const unknownDictionary = (): RefusedCallError =>
  requestFailed('dictionary item', 'dictionary URef not found')

/** Reads the owner of a dictionary. An unknown state root gets the error of an unknown dictionary, like in a node. */
function readOwner(view: ChainView, read: StateRead, owner: Uint8Array): StoredValue | undefined {
  try {
    return readState(view, read, owner)?.value
  } catch (error) {
    throw error instanceof RefusedCallError ? unknownDictionary() : error
  }
}

function itemKey(text: string): Uint8Array {
  const key = tryParseKey(text)
  if (key?.[0] === keyTags.dictionary) return key
  throw invalidDictionaryKey(key === null ? keyFault(text) : 'not a dictionary key')
}

const itemOf = (seed: Uint8Array, itemName: string): Uint8Array =>
  dictionaryKey(blake2b(seed.subarray(0, 32), utf8.encode(itemName)))

const prefixes = {
  AccountNamedKey: ['account-hash-', 'entity-account-'],
  ContractNamedKey: ['hash-', 'contract-'],
  EntityNamedKey: ['entity-system-', 'entity-contract-', 'entity-account-'],
} as const

/** Parses the key of an account or a contract. Null for an addressable entity, which this chain does not have. */
function ownerKey(name: keyof typeof prefixes, text: string): Uint8Array | null {
  const hash = hashAfter(prefixes[name], text)
  const isEntity = name === 'EntityNamedKey'
  if (hash === null)
    throw invalidDictionaryKey(isEntity ? 'invalid prefix' : `prefix is not '${prefixes[name][0]}'`)
  if (isEntity) return null
  return text.includes('account-') ? accountKey(hash) : hashKey(hash)
}
