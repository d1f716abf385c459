import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { verifyMerkleProof } from '@wattfeed/casper'
import { formatKey } from '@wattfeed/casper/types'
import { accountText, askStoredChain, contractText, ITEM, items, nowhere } from './storedChain.ts'

const { chain, root, result, error } = askStoredChain()

describe('state_get_dictionary_item', () => {
  const ask = (dictionary_identifier: object): Promise<unknown> =>
    result('state_get_dictionary_item', { state_root_hash: root(), dictionary_identifier })
  const named = { dictionary_name: 'items', dictionary_item_key: ITEM }

  test.each([
    ['URef', { seed_uref: `uref-${'05'.repeat(32)}-007`, dictionary_item_key: ITEM }],
    ['AccountNamedKey', { key: accountText, ...named }],
    ['ContractNamedKey', { key: contractText, ...named }],
    ['Dictionary', formatKey(items)],
  ])('default: by %s', async (name, content) => {
    expect(await ask({ [name]: content })).toMatchObject({
      api_version: '2.0.0',
      dictionary_key: formatKey(items),
      stored_value: { CLValue: { cl_type: 'String', bytes: '020000006869', parsed: 'hi' } },
    })
  })

  test('behavior: the proof proves the item with its seed and key', async () => {
    const item = await ask({ Dictionary: formatKey(items) })
    const proven = verifyMerkleProof({
      merkleProof: String(memberAt(item, 'merkle_proof')),
      stateRootHash: root(),
      key: formatKey(items),
      what: 'item',
    })
    expect(proven).toBeObject()
  })

  test.each([
    ['an owner that is not there', { AccountNamedKey: { key: `account-hash-${nowhere}`, ...named } }, -32018],
    [
      'a name that is not there',
      { ContractNamedKey: { key: contractText, ...named, dictionary_name: 'x' } },
      -32018,
    ],
    [
      'a name that is no URef',
      { ContractNamedKey: { key: contractText, ...named, dictionary_name: 'package' } },
      -32018,
    ],
    [
      'an addressable entity, which the chain does not have',
      { EntityNamedKey: { key: `entity-contract-${'02'.repeat(32)}`, ...named } },
      -32018,
    ],
    ['an entity of another kind', { EntityNamedKey: { key: contractText, ...named } }, -32002],
    ['an owner of another kind', { ContractNamedKey: { key: accountText, ...named } }, -32002],
    ['a key that is no dictionary’s', { Dictionary: contractText }, -32002],
    ['a way that there is none', { Name: {} }, -32602],
  ])('error: %s', async (_, dictionary_identifier, code) => {
    expect(
      await error('state_get_dictionary_item', { state_root_hash: root(), dictionary_identifier }),
    ).toMatchObject({ code })
  })
})

test('error: an unknown state root is reported as an unknown dictionary in a lookup by name', async () => {
  const owner = { key: contractText, dictionary_name: 'items', dictionary_item_key: ITEM }
  const params = { state_root_hash: nowhere, dictionary_identifier: { ContractNamedKey: owner } }
  expect(await error('state_get_dictionary_item', params)).toMatchObject({ code: -32018 })
})

describe('query_global_state', () => {
  const ask = (params: object): Promise<unknown> =>
    result('query_global_state', { key: contractText, path: [], ...params })

  test('default: at the newest block, a root, a block and a height', async () => {
    const { hash: blockHash } = chain.tip()
    const header = chain.tip().json.block.Version2.header
    const plain = await ask({})
    expect(plain).toMatchObject({ block_header: null, stored_value: { Contract: {} } })
    expect(await ask({ state_identifier: { StateRootHash: root() } })).toEqual(plain)
    for (const state_identifier of [{ BlockHash: blockHash }, { BlockHeight: 1 }])
      expect(await ask({ state_identifier })).toEqual({
        ...Object(plain),
        block_header: { Version2: header },
      })
  })

  test('behavior: at a block, only the state at that time', async () => {
    const genesis = [{ BlockHeight: 0 }, { BlockHash: chain.genesisHash }]
    for (const state_identifier of genesis)
      expect(
        await error('query_global_state', { key: contractText, path: [], state_identifier }),
      ).toMatchObject({ code: -32003 })
  })

  test('behavior: a path of named keys is followed, with a proof of every step', async () => {
    const found = await ask({ key: accountText, path: ['counter', 'value'] })
    expect(found).toMatchObject({ stored_value: { CLValue: { parsed: 42 } } })
    expect(String(memberAt(found, 'merkle_proof'))).toStartWith('03000000')
    expect(await ask({ path: undefined })).toMatchObject({ stored_value: { Contract: {} } })
  })

  test('behavior: a URef is found with any access rights', async () => {
    const uref = `uref-${'06'.repeat(32)}`
    for (const rights of ['000', '001', '007'])
      expect(await ask({ key: `${uref}-${rights}` })).toMatchObject({
        stored_value: { CLValue: { parsed: 42 } },
      })
  })

  test('error: a missing value, root or block', async () => {
    const asked = (params: object) => error('query_global_state', { key: contractText, path: [], ...params })
    expect(await asked({ path: ['nothing'] })).toMatchObject({ code: -32003 })
    expect(await asked({ key: `uref-${'06'.repeat(32)}-000`, path: ['x'] })).toMatchObject({ code: -32003 })
    expect(await asked({ state_identifier: { StateRootHash: nowhere } })).toEqual({
      code: -32012,
      message: 'No such state root',
      data: 'request for global state item has failed: could not find the provided state root hash',
    })
    expect(await asked({ state_identifier: { BlockHeight: 99 } })).toMatchObject({ code: -32001 })
    expect(await asked({ state_identifier: { BlockHash: nowhere } })).toMatchObject({ code: -32001 })
  })
})

describe('state_get_trie', () => {
  const element = (trie_key: string): Promise<unknown> => result('state_get_trie', { trie_key })

  test('default: the bytes of the state root, in hex', async () => {
    expect(await element(root())).toEqual({
      api_version: '2.0.0',
      maybe_trie_bytes: chain.trieElement(root())?.toHex(),
    })
    expect(String(memberAt(await element(root()), 'maybe_trie_bytes'))).toStartWith('01')
  })

  test('behavior: null for a hash that no element has', async () => {
    expect(await element(nowhere)).toEqual({ api_version: '2.0.0', maybe_trie_bytes: null })
  })

  test('error: no hash', async () => {
    expect(await error('state_get_trie', { trie_key: 'xy' })).toMatchObject({ code: -32602 })
    expect(await error('state_get_trie', {})).toMatchObject({ code: -32602 })
  })
})
