import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { startDevnet } from '@wattfeed/casper-devnet'
import {
  accounts,
  answerRecorded,
  exchangeOf,
  readRecording,
  transactions,
} from '@wattfeed/casper-devnet/testing/recordings'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createRpc } from '../../src/rpc/rpc.ts'
import { getBalance, getNamedKeys } from '../../src/transaction/account.ts'
import { getTransaction } from '../../src/transaction/getTransaction.ts'
import { putTransaction } from '../../src/transaction/putTransaction.ts'
import { sendTransaction } from '../../src/transaction/sendTransaction.ts'
import type { SignedTransaction } from '../../src/transaction/signTransaction.ts'
import type { RefusalReason } from '../../src/transaction/transactionRefused.ts'

/** A transaction as it was sent to the recorded node. */
function sentAs(note: string): SignedTransaction {
  const transaction = memberAt(exchangeOf(transactions, note).params, 'transaction')
  const v1 = memberAt(transaction, 'Version1')
  return {
    hash: String(memberAt(v1, 'hash')),
    expiresAt: Number.MAX_SAFE_INTEGER,
    transaction: { Version1: v1 },
  }
}

const unknown = exchangeOf(readRecording('errors'), 'unknown transaction')

/** The recorded node, which says of what it refused that it does not know it. */
const answer = () => {
  const recorded = answerRecorded([...transactions, ...accounts])
  return (method: string, params: unknown) => {
    try {
      return recorded(method, params)
    } catch (error) {
      if (method === 'info_get_transaction' && 'error' in unknown) return { error: unknown.error }
      throw error
    }
  }
}

const executed = {
  transactionHash: 'eb554fc25956e6cac03c718941dfe5af06c692f7d9657ad5a5904093df444c33',
  blockHash: 'e6f861f478486e382a77376313a0929f20aed8e3751d75aa0d69bae7f1066653',
  blockHeight: 170,
  errorMessage: null,
  limitMotes: 3_000_000_000n,
  consumedMotes: 1_422_277_403n,
  refundMotes: 1_183_291_947n,
  chargedMotes: 1_816_708_053n,
}

describe('the recorded node, over HTTP', () => {
  test('default: attest accepted, pending, executed', async () => {
    await using endpoint = await startDevnet({ call: answer() })
    const rpc = createRpc({
      urls: [endpoint.url],
      chainName: 'casper-net-1',
      fetch: (url, init) => fetch(url, init),
      timeoutMs: 4_000,
      deadlineMs: 10_000,
      concurrency: 8,
      maxBodyBytes: 10_000_000,
      now: Date.now,
      onCall: () => {},
    })
    const waits: number[] = []
    const wait = async (durationMs: number): Promise<void> => void waits.push(durationMs)
    expect(await sendTransaction(sentAs('attest accepted'), { rpc, wait })).toEqual(executed)
    expect(waits).toEqual([4_000])
  })

  test('error: attest by a stranger: User error: 1, everything is charged', async () => {
    const rpc = rpcOf(answer())
    const error = await errorOf(sendTransaction(sentAs('attest by a stranger accepted'), { rpc }))
    expect({ ...error } as object).toEqual({
      code: 'transaction_failed',
      retryable: false,
      executed: {
        transactionHash: '8136e94d5f13b4cdd598971c3e45346b61ef115102c2844d4c1bbaeaaadda2c3',
        blockHash: '5f62cc7a4c5199e80abbfe49e3be5d6565e6805487921d8a8f8b02095c9d1706',
        blockHeight: 171,
        errorMessage: 'User error: 1',
        limitMotes: 3_000_000_000n,
        consumedMotes: 373_048_795n,
        refundMotes: 0n,
        chargedMotes: 3_000_000_000n,
      },
    })
  })

  test('error: an entry point that does not exist is accepted, and fails', async () => {
    const error = await errorOf(sendTransaction(sentAs('unknown entry point'), { rpc: rpcOf(answer()) }))
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'transaction_failed',
      message: expect.stringMatching(
        /failed in block 172: .*; 3000000000 motes were charged. Find the cause/,
      ),
    })
  })
})

const invalid = 'Invalid transaction: the transaction was invalid: '
const refusals: [string, RefusalReason, number, string][] = [
  [
    'payment 0.1 CSPR',
    'payment_or_size',
    -32016,
    `${invalid}The transaction or deploy sent to the network was invalid for an unspecified reason`,
  ],
  [
    'wrong chain name',
    'chain_name',
    -32016,
    `${invalid}The transaction sent to the network had an invalid chain name`,
  ],
  [
    'gas price tolerance 0',
    'gas_price_tolerance',
    -32018,
    'Node request failure: request for submitting a transaction has failed: gas price tolerance too low',
  ],
  [
    'ttl too long',
    'malformed',
    -32602,
    expect.stringMatching(/^Invalid params: Failed to parse 'params' field/),
  ],
  ['expired', 'expired', -32016, `${invalid}transaction has expired`],
  ['account without funds (secp256k1)', 'no_account', -32016, `${invalid}no such addressable entity`],
  [
    'bad signature',
    'approval',
    -32016,
    `${invalid}The transaction sent to the network had an invalid approval`,
  ],
  ['unknown package', 'no_package', -32016, `${invalid}no such package at hash`],
]

describe('every recorded refusal', () => {
  test('default: these are all', () => {
    const recorded = transactions.filter(
      (each) => each.method === 'account_put_transaction' && 'error' in each,
    )
    expect(refusals.map(([note]) => note)).toEqual(recorded.map(({ note }) => note ?? ''))
  })

  test.each(refusals)('error: %s', async (note, reason, rpcCode, nodeMessage) => {
    const signed = sentAs(note)
    const error = await errorOf(sendTransaction(signed, { rpc: rpcOf(answer()) }))
    expect({ ...error } as object).toEqual({
      code: 'transaction_refused',
      retryable: ['expired', 'gas_price_tolerance'].includes(reason),
      transactionHash: signed.hash,
      reason,
      rpcCode,
      nodeMessage,
    })
  })

  const worded: [RefusalReason, number, string][] = [
    ['payment_or_size', -32016, "couldn't associate a transaction lane with the transaction"],
    ['payment_or_size', -32018, "couldn't associate a transaction lane with the transaction"],
    ['gas_price_tolerance', -32018, 'gas price tolerance too low'],
    ['associated_keys', -32016, 'invalid associated keys'],
    ['associated_keys', -32016, 'insufficient signature weight'],
    ['balance', -32016, 'insufficient balance'],
    ['timestamp', -32016, 'had a timestamp that has not yet occurred'],
  ]
  test.each(worded)('error: %s (%d): %s', async (reason, code, data) => {
    const rpc = rpcOf((method) =>
      method === 'info_get_status'
        ? { result: { chainspec_name: 'casper-net-1' } }
        : { error: { code, message: '', data } },
    )
    expect(await putTransaction(rpc, sentAs('attest accepted'))).toMatchObject({ reason })
  })

  test('error: a gas price that is too high: the message names the setting', async () => {
    const rpc = rpcOf(answer())
    const { message } = await errorOf(sendTransaction(sentAs('gas price tolerance 0'), { rpc }))
    expect(message).toContain('raise GAS_PRICE_TOLERANCE')
  })

  test('behavior: an error that is not about the transaction is the fault of the node: the next one is called', async () => {
    const busy = () => ({ error: { code: -32018, message: 'Node request failure', data: 'disconnected' } })
    const rpc = rpcOf({
      'http://busy.test/rpc': (method) =>
        method === 'info_get_status' ? { result: { chainspec_name: 'casper-net-1' } } : busy(),
      'http://node.test/rpc': answer(),
    })
    expect(await putTransaction(rpc, sentAs('attest accepted'))).toBe('accepted')
  })

  test('behavior: a node that returns another transaction is not accepted', async () => {
    const rpc = rpcOf((method) =>
      method === 'info_get_status'
        ? { result: { chainspec_name: 'casper-net-1' } }
        : { result: { transaction_hash: { Version1: '00'.repeat(32) } } },
    )
    expect(await putTransaction(rpc, sentAs('attest accepted'))).toBe('no answer')
    expect(rpc.lastFailure()).toContain('the node accepted another transaction')
  })
})

describe('the recorded account', () => {
  const publicKey = '01522ef6c89038019cb7af05c340623804392dd2bb1f4dab5e4a9c3ab752fc0179'

  test('default: balance', async () => {
    expect(await getBalance(rpcOf(answer()), publicKey)).toBe(999999999999997545752559591n)
  })

  test('behavior: null for an account that the chain does not know', async () => {
    expect(await getBalance(rpcOf(answer()), `01${'11'.repeat(32)}`)).toBeNull()
  })

  test('default: named keys', async () => {
    expect(Object.fromEntries(await getNamedKeys(rpcOf(answer()), publicKey))).toEqual({
      AttestationRegistry_package_hash:
        'hash-9bc2902768e867eb876ea0cd4a092c019f1826ce5f9ede47234f1b8618c2a376',
      AttestationRegistry_package_hash_access_token:
        'uref-2bf543c4889fa0e4d4300688d229ff80424528566dd5c1e40ea30fe8210998be-007',
      FeedRegistry_package_hash: 'hash-554b659ded7e832604c23bb9f9bc2147da30ea11a4e4730618bd0fb1b967fd76',
      FeedRegistry_package_hash_access_token:
        'uref-0e8bec2cf540a6a5ab3c0fde335a8388b177fbb2984c8326e7cd8b7dc3404ef8-007',
      OpenGate_package_hash: 'hash-dc2aa1676227c39a6dbeffb2bd75d03ca03691cf424a90208f88c6e946b593e0',
      OpenGate_package_hash_access_token:
        'uref-c53ba770674cd8206d9719335d67efff083f6da1e9df4b68b88fd8f96d0bf7fd-007',
    })
  })
})

describe('getTransaction', () => {
  const signed = sentAs('attest accepted')

  test('behavior: unknown', async () => {
    const hash = '00'.repeat(32)
    expect(await getTransaction(rpcOf(answer()), hash)).toEqual({ state: 'unknown', node: null })
  })

  const infos: [string, unknown, string][] = [
    ['no execution', null, 'pending'],
    [
      'a block that this node has not executed',
      { block_hash: 'x', block_height: 1, execution_result: null },
      'pending',
    ],
  ]
  test.each(infos)('behavior: %s is pending', async (_, execution_info, state) => {
    const rpc = rpcOf((method) =>
      method === 'info_get_status'
        ? { result: { chainspec_name: 'casper-net-1' } }
        : { result: { execution_info } },
    )
    expect(await getTransaction(rpc, signed.hash)).toMatchObject({ state })
  })

  const executedFor = (cost: string, refund: string) => ({
    block_hash: '11'.repeat(32),
    block_height: 1,
    execution_result: { Version2: { error_message: null, limit: '3', consumed: '1', cost, refund } },
  })
  const executed = executedFor('3', '1')

  test.each([
    ['what was not refunded', executed, 2n],
    // A deployment file with a charge below zero could not be read any more.
    ['nothing, where a node says that more was refunded than paid', executedFor('3', '4'), 0n],
  ])('behavior: charged: %s', async (_, execution_info, chargedMotes) => {
    const rpc = rpcOf((method) =>
      method === 'info_get_status'
        ? { result: { chainspec_name: 'casper-net-1' } }
        : { result: { execution_info } },
    )
    expect(await getTransaction(rpc, signed.hash)).toMatchObject({
      executed: { blockHash: '11'.repeat(32), blockHeight: 1, chargedMotes },
    })
  })

  const broken: [string, unknown][] = [
    // A deployment file with such a height could not be read any more.
    ['a height that is no whole number', { ...executed, block_height: 1.5 }],
    ['a height below zero', { ...executed, block_height: -1 }],
    ['a hash that is none', { ...executed, block_hash: '../x' }],
    ['another kind of result', { block_hash: 'x', block_height: 1, execution_result: { Version1: {} } }],
    [
      'an error that is no text',
      { block_hash: 'x', block_height: 1, execution_result: { Version2: { refund: '0', error_message: 1 } } },
    ],
    [
      'a cost that is no number',
      { block_hash: 'x', block_height: 1, execution_result: { Version2: { refund: 'x' } } },
    ],
  ]
  test.each(broken)('error: %s', async (_, execution_info) => {
    const rpc = rpcOf((method) =>
      method === 'info_get_status'
        ? { result: { chainspec_name: 'casper-net-1' } }
        : { result: { execution_info } },
    )
    expect((await errorOf(getTransaction(rpc, signed.hash))).message).toContain('cannot decode')
  })
})
