import { describe, expect, test } from 'bun:test'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { assertMaySign, getBalance, getNamedKeys } from '../../src/transaction/account.ts'
import { testSigner } from '../support/keys.ts'

const signer = await testSigner()
const accountOf = (weight: number, deployment: number, account = signer.accountHash) => ({
  account_hash: account,
  named_keys: [],
  main_purse: `uref-${'11'.repeat(32)}-007`,
  associated_keys: [
    { account_hash: `account-hash-${'00'.repeat(32)}`, weight: 255 },
    { account_hash: signer.keyHash, weight },
  ],
  action_thresholds: { deployment, key_management: 255 },
})

/** A node that knows this account only. */
const nodeWith = (account: object) =>
  rpcOf((method) => (method === 'info_get_status' ? status : { result: { account, merkle_proof: '' } }))
const status = { result: { chainspec_name: 'casper-net-1' } }
const unknownAccount = rpcOf((method) =>
  method === 'info_get_status'
    ? status
    : { error: { code: -32009, message: 'No such account', data: 'the requested account was not found' } },
)

test.each([
  ["the account's own key", signer],
  ['an associated key', { ...signer, accountHash: `account-hash-${'22'.repeat(32)}` }],
])('default: %s with enough weight may sign', async (_, payer) => {
  await assertMaySign(nodeWith(accountOf(2, 2, payer.accountHash)), payer)
})

test.each([
  ["the account's own key", signer],
  ['an associated key', { ...signer, accountHash: `account-hash-${'22'.repeat(32)}` }],
])('error: %s below the threshold may not sign alone', async (_, payer) => {
  const asserted = assertMaySign(nodeWith(accountOf(2, 3, payer.accountHash)), payer)
  await expect(asserted).rejects.toMatchObject({
    code: 'not_associated',
    account: payer.accountHash,
    key: signer.keyHash,
    weight: 2,
    threshold: 3,
  })
})

test('behavior: an account that does not exist has only its own key, and no named keys', async () => {
  await assertMaySign(unknownAccount, signer)
  const payer = { ...signer, accountHash: `account-hash-${'22'.repeat(32)}` }
  await expect(assertMaySign(unknownAccount, payer)).rejects.toMatchObject({ weight: 0, threshold: 1 })
  expect(await getNamedKeys(unknownAccount, signer.initiator)).toEqual(new Map())
})

test('error: an answer that is no account', async () => {
  const wrong = { ...accountOf(1, 1), associated_keys: [{ account_hash: 'x', weight: 1 }] }
  await expect(assertMaySign(nodeWith(wrong), signer)).rejects.toMatchObject({ code: 'all_nodes_failed' })
})

describe('a balance at a block that another node has named', () => {
  const failed = (data: string) => ({ code: -32018, message: 'Node request failure', data })
  test.each([
    [
      'error: casper-node 2 lacks the block',
      failed('unexpectedly received an empty envelope'),
      'nodes_disagree',
    ],
    ['error: an earlier node lacks it', { code: -32001, message: 'No such block' }, 'nodes_disagree'],
    ['error: a busy node may have it', failed('disconnected'), 'json_rpc'],
  ])('%s', async (_, error, code) => {
    const rpc = rpcOf((method) => (method === 'info_get_status' ? status : { error }))
    const block = { hash: '33'.repeat(32), height: 7 }
    const asked = getBalance(rpc, signer.initiator, undefined, block)
    await expect(asked).rejects.toMatchObject({ failures: [{ error: { code } }] })
  })
})
