import { beforeEach, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { CHAIN_NAME, json, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { createUref, stateKey } from '@wattfeed/casper/types'
import { NativeTransferBuilder, type PrivateKey, PublicKey, Timestamp } from 'casper-js-sdk'
import { transferMotes } from '../../src/chain/transferMotes.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { createAddressGenerator } from '../../src/engine/addressGenerator.ts'
import { execute } from '../../src/engine/execute.ts'
import { balanceKey, encodeMotes } from '../../src/engine/purse.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import type { AnswerRpc } from '../../src/rpcAnswer.ts'
import { createTestChain, START_MOTES, sessionOf } from '../support/testChain.ts'

const COST = 100_000_000n
const CSPR = 1_000_000_000n
const stranger = PublicKey.fromHex(`01${'77'.repeat(32)}`)

let answer: AnswerRpc
beforeEach(() => {
  answer = createAnswerRpc(createTestChain({ engine: execute }))
})

interface TransferOptions {
  motes?: bigint
  to?: PublicKey
  payment?: bigint
  key?: PrivateKey
}

/** Sends a transfer and returns its hash, or the node's error. */
async function transfer({
  motes = 3n * CSPR,
  to = stranger,
  payment = COST,
  key = keys.ed25519,
}: TransferOptions): Promise<string> {
  const transaction = new NativeTransferBuilder()
    .from(key.publicKey)
    .target(to)
    .amount(String(motes))
    .id(7)
    .chainName(CHAIN_NAME)
    .timestamp(new Timestamp(new Date(NOW)))
    .payment(Number(payment), 1)
    .build()
  transaction.sign(key)
  const put = await answer('account_put_transaction', {
    transaction: { Version1: json(transaction.toJSON()) },
  })
  return 'error' in put ? String(put.error.data) : transaction.hash.toHex()
}

const execution = async (hash: string): Promise<unknown> =>
  memberAt(
    await answer('info_get_transaction', { transaction_hash: { Version1: hash } }),
    'result',
    'execution_info',
    'execution_result',
    'Version2',
  )

const balanceOf = async (publicKey: PublicKey): Promise<unknown> => {
  const purse_identifier = { main_purse_under_public_key: publicKey.toHex() }
  return memberAt(await answer('query_balance', { purse_identifier }), 'result', 'balance')
}

describe('a native transfer', () => {
  test('default: moves motes between accounts, for a fixed cost', async () => {
    const receiver = keys.secp256k1.publicKey
    const hash = await transfer({ to: receiver })
    expect(await execution(hash)).toMatchObject({ error_message: null, consumed: String(COST), refund: '0' })
    expect(await balanceOf(receiver)).toBe(String(START_MOTES + 3n * CSPR))
    expect(await balanceOf(keys.ed25519.publicKey)).toBe(String(START_MOTES - 3n * CSPR - COST))
  })

  test.each([
    ['2.2.2', COST],
    ['2.0.3', 5n * CSPR],
  ] as const)(
    'behavior: at protocol %s, a transfer that pays 5 CSPR costs %p motes',
    async (protocol, cost) => {
      answer = createAnswerRpc(createTestChain({ engine: execute, chainspec: chainspecs[protocol] }))
      const hash = await transfer({ to: keys.secp256k1.publicKey, payment: 5n * CSPR })
      const [limit, consumed] = [String(cost), String(cost)]
      const transfers = [{ Version2: { gas: String(COST) } }]
      expect(await execution(hash)).toMatchObject({ limit, consumed, cost: consumed, refund: '0', transfers })
      expect(await balanceOf(keys.ed25519.publicKey)).toBe(String(START_MOTES - 3n * CSPR - cost))
    },
  )

  test('error: a transfer to the own account fails, and its cost is charged', async () => {
    const hash = await transfer({ to: keys.ed25519.publicKey })
    expect(await execution(hash)).toMatchObject({ error_message: 'Invalid purse', transfers: [] })
    expect(await balanceOf(keys.ed25519.publicKey)).toBe(String(START_MOTES - COST))
  })

  test('behavior: a missing account is created, and the block lists the transfer', async () => {
    const hash = await transfer({})
    expect(await balanceOf(stranger)).toBe(String(3n * CSPR))
    const address = createAddressGenerator(Uint8Array.fromHex(hash)).next()
    const account_hash = stranger.accountHash().toPrefixedString()
    const found = await answer('state_get_account_info', { account_identifier: stranger.toHex() })
    expect(memberAt(found, 'result', 'account')).toMatchObject({
      account_hash,
      named_keys: [],
      main_purse: `uref-${address.toHex()}-007`,
    })
    const transfers = memberAt(await answer('chain_get_block_transfers', undefined), 'result', 'transfers')
    expect(transfers).toEqual([
      {
        Version2: expect.objectContaining({
          transaction_hash: { Version1: hash },
          to: account_hash,
          target: `uref-${address.toHex()}-004`,
          amount: String(3n * CSPR),
          id: 7,
        }),
      },
    ])
  })

  test('error: a transfer above the balance fails, and its cost is charged', async () => {
    const hash = await transfer({ motes: START_MOTES })
    expect(await execution(hash)).toMatchObject({ error_message: 'Insufficient funds', transfers: [] })
    expect(await balanceOf(keys.ed25519.publicKey)).toBe(String(START_MOTES - COST))
    expect(
      await answer('query_balance', {
        purse_identifier: { main_purse_under_public_key: stranger.toHex() },
      }),
    ).toMatchObject({ error: { code: -32026 } })
  })

  test('error: too little to transfer, or to pay', async () => {
    expect(await transfer({ motes: 2_499_999_999n })).toContain('insufficient transfer amount')
    expect(await transfer({ payment: COST - 1n })).toContain('unspecified reason')
  })

  test('behavior: a target purse must exist', () => {
    const [from, to] = [1, 2].map((fill) => createUref(new Uint8Array(32).fill(fill), 7)) as [
      Uint8Array,
      Uint8Array,
    ]
    const balances = new Map([[stateKey(balanceKey(from)), encodeMotes(10n)]])
    const args = [
      { name: 'target', clType: 'URef', bytes: to },
      { name: 'amount', clType: 'U512', bytes: Uint8Array.of(1, 4) },
    ] as const
    const send = () =>
      transferMotes(
        { ...sessionOf(1), args },
        { purse: from, limitMotes: 5n, holdKey: Uint8Array.of(22) },
        { read: (key) => balances.get(key) ?? null },
      )
    expect(send()).toMatchObject({ error: 'Invalid purse', consumed: 5n, transfers: [] })
    balances.set(stateKey(balanceKey(to)), encodeMotes(1n))
    const { error, writes, transfers } = send()
    expect(error).toBeNull()
    expect(writes).toEqual(
      new Map([
        [stateKey(balanceKey(from)), encodeMotes(6n)],
        [stateKey(balanceKey(to)), encodeMotes(5n)],
      ]),
    )
    expect(transfers).toEqual([{ to: null, source: from, target: to, motes: 4n, gasMotes: COST, id: null }])
  })
})
