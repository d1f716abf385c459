import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { verifyMerkleProof } from '@wattfeed/casper'
import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { methods } from '../../src/rpc/methods.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { createTestChain, START_MOTES, sessionOf } from '../support/testChain.ts'
import { accountText, askStoredChain, nowhere } from './storedChain.ts'

const { chain, root, result, error } = askStoredChain()

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
    expect(await result('state_get_account_info', { ...before, block_identifier: null })).toMatchObject({
      account: { account_hash: accountText },
    })
  })

  test('default: an entity is an account or a contract', async () => {
    const ask = (entity_identifier: object): Promise<unknown> =>
      result('state_get_entity', { entity_identifier })
    for (const each of [{ PublicKey: publicKey }, { AccountHash: ownHash }])
      expect(await ask(each)).toMatchObject({ entity: { Account: { account_hash: ownHash } } })
    expect(await ask({ ContractHash: `contract-${'02'.repeat(32)}` })).toMatchObject({
      entity: { Contract: { contract: { protocol_version: '2.0.0' }, wasm: null } },
    })
    for (const each of [
      { EntityAddr: `entity-contract-${'02'.repeat(32)}` },
      { ContractHash: `contract-${nowhere}` },
    ])
      expect(await error('state_get_entity', { entity_identifier: each })).toMatchObject({ code: -32020 })
  })

  test('error: the kind of an entity in upper case', async () => {
    const entity_identifier = { EntityAddr: `entity-ACCOUNT-${nowhere}` }
    expect(await error('state_get_entity', { entity_identifier })).toMatchObject({ code: -32602 })
  })

  test('default: a package by its hash', async () => {
    const ask = (text: string) => ({ package_identifier: { ContractPackageHash: text } })
    const found = await result('state_get_package', ask(`contract-package-${'03'.repeat(32)}`))
    expect(found).toMatchObject({ package: { ContractPackage: { versions: [{ contract_version: 1 }] } } })
    expect(await error('state_get_package', ask(`contract-package-${nowhere}`))).toMatchObject({
      code: -32020,
    })
    expect(await error('state_get_package', ask('package'))).toMatchObject({ code: -32602 })
  })
})

describe('balances', () => {
  const purseOf = async (): Promise<string> =>
    String(
      memberAt(
        await result('state_get_account_info', { account_identifier: keys.secp256k1.publicKey.toHex() }),
        'account',
        'main_purse',
      ),
    )

  test('default: the balance of a purse, with its proof', async () => {
    const purse_uref = await purseOf()
    const found = await result('state_get_balance', { state_root_hash: root(), purse_uref })
    expect(found).toMatchObject({ balance_value: String(START_MOTES) })
    verifyMerkleProof({
      merkleProof: String(memberAt(found, 'merkle_proof')),
      stateRootHash: root(),
      key: purse_uref.replace('uref-', 'balance-').replace(/-007$/, ''),
      what: 'balance',
    })
  })

  test('error: an invalid purse, a missing purse, and an unknown root', async () => {
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
    for (const params of [{ block_identifier: null }, { height: 1 }])
      expect(await error('chain_get_block', params)).toMatchObject({ code: -32602 })
  })

  test('default: an era summary at the last switch block or at a block, after an era with rewards', async () => {
    const ended = createTestChain()
    const answer = createAnswerRpc(ended)
    const ask = async (method: string, params?: unknown) => memberAt(await answer(method, params), 'result')
    expect(await answer('chain_get_era_summary', undefined)).toMatchObject({ error: { code: -32003 } })
    for (let height = 1; height <= 21; height++) ended.produceBlock()
    const { hash, stateRootHash } = ended.latestSwitchBlock()
    const summary = {
      era_id: 1,
      block_hash: hash,
      state_root_hash: stateRootHash,
      stored_value: { EraInfo: {} },
    }
    expect(await ask('chain_get_era_summary')).toMatchObject({ era_summary: summary })
    const atTip = [{ Height: 21 }]
    expect(await ask('chain_get_era_summary', atTip)).toMatchObject({
      era_summary: { era_id: 2, block_hash: ended.tip().hash, state_root_hash: ended.tip().stateRootHash },
    })
    expect(await ask('chain_get_era_info_by_switch_block')).toMatchObject({ era_summary: summary })
    expect(await ask('chain_get_era_info_by_switch_block', atTip)).toMatchObject({ era_summary: null })
  })

  test('default: the reward of a validator in an era', async () => {
    const ended = createTestChain({ validators: 1 })
    for (let height = 1; height <= 21; height++) ended.produceBlock()
    const { hash, proposer: validator } = ended.latestSwitchBlock()
    const answer = createAnswerRpc(ended)
    const reward = { reward_amount: '600000000', era_id: 1, delegation_rate: 0, switch_block_hash: hash }
    for (const era_identifier of [undefined, { Era: 1 }, { Block: { Height: 20 } }])
      expect(await answer('info_get_reward', { validator, era_identifier })).toMatchObject({ result: reward })
    const none = [
      { validator, era_identifier: { Era: 2 } },
      { validator, delegator: validator },
      { validator: keys.ed25519.publicKey.toHex() },
    ]
    for (const params of none)
      expect(await answer('info_get_reward', params)).toMatchObject({ error: { code: -32018 } })
  })

  test('error: a deploy that is missing or is a TransactionV1', async () => {
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

  test('error: a transaction is rejected with the node’s message for its kind', async () => {
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

describe('createAnswerRpc', () => {
  test('behavior: rpc.discover names every method', async () => {
    const found = await result('rpc.discover')
    const listed = memberAt(found, 'schema', 'methods')
    expect(Array.isArray(listed) ? listed.map((each) => memberAt(each, 'name')) : null).toEqual([
      ...methods.keys(),
    ])
  })

  test('behavior: rpc.discover has the fields that casper-client requires, and required parameters first', async () => {
    const schema = memberAt(await result('rpc.discover'), 'schema')
    const link = { name: expect.any(String), url: expect.any(String) }
    expect(schema).toMatchObject({
      info: { contact: link, license: link },
      servers: [link],
      components: { schemas: {} },
    })
    const listed = Object(memberAt(schema, 'methods'))
    const query = listed.find((each: unknown) => memberAt(each, 'name') === 'query_global_state')
    expect(query).toEqual({
      name: 'query_global_state',
      summary: 'a value of global state',
      params: [
        { name: 'key', schema: {}, required: true },
        { name: 'state_identifier', schema: {}, required: false },
        { name: 'path', schema: {}, required: false },
      ],
      result: { name: 'query_global_state_result', schema: {} },
      examples: [],
    })
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

  test('error: a bug is reported as an internal error', async () => {
    const broken = createTestChain({
      engine: createFakeEngine(() => {
        throw new Error('the engine broke')
      }),
    })
    const reported: unknown[] = []
    const transaction = sessionOf(1)
    const put = createAnswerRpc(broken, (error) => reported.push(error))
    const data = `dropped transaction ${transaction.hash}, because the engine failed: the engine broke`
    expect(await put('account_put_transaction', { transaction: transaction.json })).toEqual({
      error: { code: -32603, message: 'Internal error', data },
    })
    expect(reported).toEqual([expect.objectContaining({ message: data })])
  })
})
