import { beforeAll, describe, expect, test } from 'bun:test'
import { verifyMerkleProof } from '../../../src/casper/proof/verifyMerkleProof.ts'
import { member } from '../../../src/devnet/canonicalCall.ts'
import type { Chain } from '../../../src/devnet/chain/createChain.ts'
import { answerRpc } from '../../../src/devnet/rpc/answerRpc.ts'
import { methods } from '../../../src/devnet/rpc/methods.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { blake2b } from '../../../src/devnet/value/blake2b.ts'
import { encodeDictionaryItem } from '../../../src/devnet/value/clValue.ts'
import { formatKey } from '../../../src/devnet/value/formatKey.ts'
import { accountKey, createUref, dictionaryKey, hashKey, urefKey } from '../../../src/devnet/value/key.ts'
import { encodeStoredValue, type StoredValue } from '../../../src/devnet/value/storedValue.ts'
import { createFakeEngine } from '../chain/fakeEngine.ts'
import { createTestChain, START_MOTES, sessionOf } from '../chain/testChain.ts'
import { keys } from '../transaction/sdkTransactions.ts'

const hash = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const utf8 = new TextEncoder()

const seed = createUref(hash(5), 7)
const items = dictionaryKey(blake2b(seed.subarray(0, 32), utf8.encode('°F')))
const owner = hash(1)
const contract = hash(2)
const contractPackage = hash(3)
const cl = (value: StoredValue & { kind: 'CLValue' }): Uint8Array => encodeStoredValue(value)

const writes: [Uint8Array, Uint8Array][] = [
  [
    accountKey(owner),
    encodeStoredValue({
      kind: 'Account',
      account: {
        accountHash: owner,
        namedKeys: new Map([
          ['items', urefKey(seed)],
          ['counter', hashKey(contract)],
        ]),
        mainPurse: createUref(hash(9), 7),
        associatedKeys: [{ accountHash: owner, weight: 1 }],
        actionThresholds: { deployment: 1, keyManagement: 1 },
      },
    }),
  ],
  [
    hashKey(contract),
    encodeStoredValue({
      kind: 'Contract',
      contract: {
        packageHash: contractPackage,
        wasmHash: hash(4),
        namedKeys: new Map([
          ['items', urefKey(seed)],
          ['value', urefKey(createUref(hash(6), 7))],
          ['package', hashKey(contractPackage)],
        ]),
        entryPoints: new Map(),
        protocolVersion: [2, 0, 0],
      },
    }),
  ],
  [
    hashKey(contractPackage),
    encodeStoredValue({
      kind: 'ContractPackage',
      contractPackage: {
        accessKey: createUref(hash(7), 7),
        versions: [{ protocolVersionMajor: 2, contractVersion: 1, contractHash: contract }],
        disabledVersions: [],
        groups: new Map(),
        isLocked: false,
      },
    }),
  ],
  [
    urefKey(createUref(hash(6), 0)),
    cl({ kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(42) } }),
  ],
  [
    items,
    cl({
      kind: 'CLValue',
      value: encodeDictionaryItem({
        value: { clType: 'String', bytes: Uint8Array.of(2, 0, 0, 0, 104, 105) },
        seed: seed.subarray(0, 32),
        itemKey: utf8.encode('°F'),
      }),
    }),
  ],
]

let chain: Chain
let answer: AnswerRpc
beforeAll(() => {
  chain = createTestChain({ engine: createFakeEngine(() => ({ writes })) })
  chain.put(sessionOf(1))
  answer = answerRpc(chain)
})

const root = (): string => chain.tip().stateRootHash
const result = async (method: string, params?: unknown): Promise<unknown> =>
  member(await answer(method, params), 'result')
const error = async (method: string, params?: unknown): Promise<unknown> =>
  member(await answer(method, params), 'error')

const accountText = formatKey(accountKey(owner))
const contractText = formatKey(hashKey(contract))
const nowhere = '0'.repeat(64)

describe('state_get_dictionary_item', () => {
  const ask = (dictionary_identifier: object): Promise<unknown> =>
    result('state_get_dictionary_item', { state_root_hash: root(), dictionary_identifier })
  const named = { dictionary_name: 'items', dictionary_item_key: '°F' }

  test.each([
    ['URef', { seed_uref: `uref-${'05'.repeat(32)}-007`, dictionary_item_key: '°F' }],
    ['AccountNamedKey', { key: accountText, ...named }],
    ['ContractNamedKey', { key: contractText, ...named }],
    ['EntityNamedKey', { key: `entity-contract-${'02'.repeat(32)}`, ...named }],
    ['EntityNamedKey', { key: `entity-account-${'01'.repeat(32)}`, ...named }],
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
      merkleProof: String(member(item, 'merkle_proof')),
      stateRootHash: root(),
      key: formatKey(items),
      what: 'item',
    })
    expect(proven).toBeObject()
  })

  test.each([
    ['an owner that is not there', { AccountNamedKey: { key: `account-hash-${nowhere}`, ...named } }, -32003],
    [
      'a name that is not there',
      { ContractNamedKey: { key: contractText, ...named, dictionary_name: 'x' } },
      -32003,
    ],
    [
      'a name that is no URef',
      { ContractNamedKey: { key: contractText, ...named, dictionary_name: 'package' } },
      -32003,
    ],
    ['an owner of another kind', { ContractNamedKey: { key: accountText, ...named } }, -32002],
    ['a key that is no dictionary’s', { Dictionary: contractText }, -32002],
    ['a way that there is none', { Name: {} }, -32602],
  ])('error: %s', async (_, dictionary_identifier, code) => {
    expect(
      await error('state_get_dictionary_item', { state_root_hash: root(), dictionary_identifier }),
    ).toMatchObject({ code })
  })
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

  test('behavior: a path of named keys leads on; every step is proven', async () => {
    const found = await ask({ key: accountText, path: ['counter', 'value'] })
    expect(found).toMatchObject({ stored_value: { CLValue: { parsed: 42 } } })
    expect(String(member(found, 'merkle_proof'))).toStartWith('03000000')
    expect(await ask({ path: undefined })).toMatchObject({ stored_value: { Contract: {} } })
  })

  test('behavior: a URef is found whatever its rights', async () => {
    const uref = `uref-${'06'.repeat(32)}`
    for (const rights of ['000', '001', '007'])
      expect(await ask({ key: `${uref}-${rights}` })).toMatchObject({
        stored_value: { CLValue: { parsed: 42 } },
      })
  })

  test('error: nothing there, no such root, no such block', async () => {
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

describe('accounts, entities and packages', () => {
  const publicKey = keys.secp256k1.publicKey.toHex()
  const ownHash = keys.secp256k1.publicKey.accountHash().toPrefixedString()

  test('default: an account by its key, its hash, and the old name of the parameter', async () => {
    const found = await result('state_get_account_info', { account_identifier: publicKey })
    expect(found).toMatchObject({ account: { account_hash: ownHash, named_keys: [] } })
    expect(await result('state_get_account_info', { account_identifier: ownHash })).toEqual(found)
    expect(await result('state_get_account_info', { public_key: publicKey })).toEqual(found)
  })

  test('behavior: an account as it was at a block', async () => {
    const before = { account_identifier: accountText, block_identifier: { Height: 0 } }
    expect(await error('state_get_account_info', before)).toMatchObject({ code: -32009 })
    expect(
      await result('state_get_account_info', { ...before, block_identifier: { Height: 1 } }),
    ).toMatchObject({ account: { account_hash: accountText } })
  })

  test('default: an entity is an account or a contract', async () => {
    const ask = (entity_identifier: object): Promise<unknown> =>
      result('state_get_entity', { entity_identifier })
    for (const each of [{ PublicKey: publicKey }, { AccountHash: ownHash }])
      expect(await ask(each)).toMatchObject({ entity: { Account: { account_hash: ownHash } } })
    expect(await ask({ EntityAddr: `entity-contract-${'02'.repeat(32)}` })).toMatchObject({
      entity: { Contract: { contract: { protocol_version: '2.0.0' }, wasm: null } },
    })
    expect(
      await error('state_get_entity', { entity_identifier: { EntityAddr: `entity-contract-${nowhere}` } }),
    ).toMatchObject({ code: -32020 })
  })

  test('default: a package by its hash', async () => {
    const ask = (text: string) => ({ package_identifier: { ContractPackageHash: text } })
    const found = await result('state_get_package', ask(`contract-package-${'03'.repeat(32)}`))
    expect(found).toMatchObject({ package: { ContractPackage: { versions: [{ contract_version: 1 }] } } })
    expect(await error('state_get_package', ask(`contract-package-${nowhere}`))).toMatchObject({
      code: -32025,
    })
    expect(await error('state_get_package', ask('package'))).toMatchObject({ code: -32602 })
  })
})

describe('balances', () => {
  const purseOf = async (): Promise<string> =>
    String(
      member(
        member(
          await result('state_get_account_info', { account_identifier: keys.secp256k1.publicKey.toHex() }),
          'account',
        ),
        'main_purse',
      ),
    )

  test('default: what is in a purse, with its proof', async () => {
    const purse_uref = await purseOf()
    const found = await result('state_get_balance', { state_root_hash: root(), purse_uref })
    expect(found).toMatchObject({ balance_value: String(START_MOTES) })
    verifyMerkleProof({
      merkleProof: String(member(found, 'merkle_proof')),
      stateRootHash: root(),
      key: purse_uref.replace('uref-', 'balance-').replace(/-007$/, ''),
      what: 'balance',
    })
  })

  test('error: a purse that is none, or not there, and an unknown root', async () => {
    const ask = (params: object) =>
      error('state_get_balance', { state_root_hash: root(), purse_uref: '', ...params })
    expect(await ask({ purse_uref: 'purse' })).toEqual({
      code: -32005,
      message: 'Failed to parse get-balance URef',
      data: "the requested purse URef was invalid: prefix is not 'uref-'",
    })
    expect(await ask({ purse_uref: `uref-${nowhere}-007` })).toMatchObject({ code: -32026 })
    expect(await ask({ state_root_hash: nowhere, purse_uref: await purseOf() })).toMatchObject({
      code: -32012,
    })
    expect(
      await error('query_balance', { purse_identifier: { purse_uref: `uref-${nowhere}-007` } }),
    ).toMatchObject({ code: -32026 })
  })
})

describe('blocks and transactions', () => {
  test('default: a block by hash, height, and none', async () => {
    const { json, hash: Hash } = chain.tip()
    for (const params of [
      undefined,
      null,
      {},
      [],
      { block_identifier: { Hash } },
      { block_identifier: { Height: 1 } },
    ])
      expect(await result('chain_get_block', params)).toEqual({
        api_version: '2.0.0',
        block_with_signatures: json,
      })
  })

  test('default: an era summary at the last switch block, or at a block', async () => {
    expect(await result('chain_get_era_summary')).toMatchObject({
      era_summary: { era_id: 0, block_hash: chain.genesisHash, stored_value: { EraInfo: {} } },
    })
    expect(await result('chain_get_era_summary', { block_identifier: { Height: 1 } })).toMatchObject({
      era_summary: { era_id: 1, block_hash: chain.tip().hash, state_root_hash: root() },
    })
  })

  test('error: a deploy that is not there, or is a TransactionV1', async () => {
    const { hash: known } = sessionOf(1)
    for (const deploy_hash of [nowhere, known])
      expect(await error('info_get_deploy', { deploy_hash })).toEqual({
        code: -32000,
        message: 'No such deploy',
        data: `no deploy for hash deploy-hash(${deploy_hash.slice(0, 4)}..${deploy_hash.slice(-4)})`,
      })
    expect(await error('info_get_transaction', { transaction_hash: { Deploy: known } })).toMatchObject({
      code: -32014,
    })
  })

  test('error: a transaction is refused in the node’s words, as it was sent', async () => {
    const { json } = sessionOf(2)
    const other = JSON.parse(JSON.stringify(json).replace('casper-devnet', 'casper-test'))
    expect(await error('account_put_transaction', { transaction: other })).toEqual({
      code: -32016,
      message: 'Invalid transaction',
      data: 'the transaction was invalid: The transaction sent to the network had an invalid chain name',
    })
    expect(await error('account_put_transaction', { transaction: {} })).toMatchObject({ code: -32602 })
    expect(await error('account_put_deploy', { deploy: {} })).toEqual({
      code: -32602,
      message: 'Invalid params',
      data: "Failed to parse 'params' field: missing field `hash`",
    })
  })
})

describe('answerRpc', () => {
  test('behavior: rpc.discover names every method', async () => {
    const found = await result('rpc.discover')
    const listed = member(member(found, 'schema'), 'methods')
    expect(Array.isArray(listed) ? listed.map((each) => member(each, 'name')) : null).toEqual([
      ...methods.keys(),
    ])
  })

  test('error: parameters that are missing, or too many', async () => {
    expect(await error('state_get_item')).toEqual({
      code: -32602,
      message: 'Invalid params',
      data: "Missing 'params' field",
    })
    expect(await error('state_get_item', {})).toMatchObject({
      data: "Failed to parse 'params' field: missing field `state_root_hash`",
    })
    expect(await error('info_get_status', { a: 1 })).toMatchObject({ code: -32602 })
  })

  test('error: what goes wrong inside is an internal error', async () => {
    const broken = createTestChain({
      engine: createFakeEngine(() => {
        throw new Error('the engine broke')
      }),
    })
    const reported: unknown[] = []
    const transaction = sessionOf(1)
    const put = answerRpc(broken, (error) => reported.push(error))
    const data = `transaction ${transaction.hash} cannot be executed and is given up: the engine broke`
    expect(await put('account_put_transaction', { transaction: transaction.json })).toEqual({
      error: { code: -32603, message: 'Internal error', data },
    })
    expect(reported).toEqual([expect.objectContaining({ message: data })])
  })
})
