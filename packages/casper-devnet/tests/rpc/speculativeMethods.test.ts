import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { CHAIN_NAME, json, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { formatKey, urefKey } from '@wattfeed/casper/types'
import { NativeTransferBuilder, Timestamp } from 'casper-js-sdk'
import type { Chain } from '../../src/chain/createChain.ts'
import { hashTopicName } from '../../src/engine/message.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { parseTransaction } from '../../src/transaction/parseTransaction.ts'
import type { Transaction } from '../../src/transaction/transaction.ts'
import { counter, createFakeEngine } from '../support/fakeEngine.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const ask = (chain: Chain, { json: transaction }: Pick<Transaction, 'json'>): unknown =>
  createAnswerRpc(chain)('speculative_exec_txn', { transaction })

const resultOf = (chain: Chain, transaction: Pick<Transaction, 'json'>): Record<string, unknown> =>
  Object(memberAt(ask(chain, transaction), 'result', 'execution_result'))

const executedOf = (chain: Chain, { hash }: Transaction): Record<string, unknown> =>
  Object(memberAt(chain.getTransaction('Version1', hash)?.executionInfo, 'execution_result', 'Version2'))

function transferOf(): Transaction {
  const transfer = new NativeTransferBuilder()
    .from(keys.ed25519.publicKey)
    .target(keys.secp256k1.publicKey)
    .amount('5000000000')
    .id(7)
    .chainName(CHAIN_NAME)
    .timestamp(new Timestamp(new Date(NOW)))
    .payment(100_000_000)
    .build()
  transfer.sign(keys.ed25519)
  return parseTransaction({ Version1: json(transfer.toJSON()) })
}

const message = {
  contractHash: new Uint8Array(32).fill(7),
  payload: { kind: 'Bytes', bytes: Uint8Array.of(1, 2) },
  topicName: 'prices',
  topicNameHash: hashTopicName('prices'),
  topicIndex: 0,
  blockIndex: 0,
} as const

describe('speculative_exec_txn', () => {
  test('default: what the code does and consumes, after the newest block; nothing stays', () => {
    const chain = createTestChain({ engine: createFakeEngine(() => ({ messages: [message] })) })
    const session = sessionOf(1)
    const before = chain.tip()
    expect(resultOf(chain, session)).toEqual({
      block_hash: before.hash,
      transfers: [],
      limit: '3000000000',
      consumed: '1000000000',
      effects: [
        { key: formatKey(urefKey(counter)), kind: expect.objectContaining({ Write: expect.anything() }) },
      ],
      messages: [expect.objectContaining({ message: { Bytes: '0102' }, topic_name: 'prices' })],
      error: null,
    })
    expect(chain.tip()).toEqual(before)
    expect(chain.getTransaction('Version1', session.hash)).toBeNull()
    // Sent, it does the same.
    const { limit, consumed, effects } = resultOf(chain, session)
    chain.put(session)
    const sent = executedOf(chain, session)
    expect({ limit: sent.limit, consumed: sent.consumed }).toEqual({ limit, consumed })
    expect(sent.effects).toEqual(expect.arrayContaining(Object(effects)))
  })

  test('default: a transfer, with its effects on both purses only', () => {
    const chain = createTestChain()
    const transfer = transferOf()
    const { consumed, transfers, effects, error } = resultOf(chain, transfer)
    expect([consumed, error]).toEqual(['100000000', null])
    expect(transfers).toMatchObject([{ Version2: { amount: '5000000000', id: 7 } }])
    expect(Object(effects).map((each: unknown) => Object.keys(Object(memberAt(each, 'kind'))))).toEqual([
      ['Write'],
      ['AddUInt512'],
    ])
  })

  test('behavior: an error of the code is a result', () => {
    const chain = createTestChain({ engine: createFakeEngine(() => ({ error: 'User error: 1' })) })
    expect(resultOf(chain, sessionOf(1))).toMatchObject({
      error: 'User error: 1',
      effects: [],
      consumed: '1000000000',
    })
  })

  test('error: a transaction that a node rejects', () => {
    const foreign = sessionOf(1, { chainName: 'another' })
    const reason = 'The transaction sent to the network had an invalid chain name'
    expect(ask(createTestChain(), foreign)).toEqual({
      error: {
        code: -32018,
        message: 'Node request failure',
        data: `request for speculatively executing a transaction has failed: could not execute the provided transaction: ${reason}`,
      },
    })
  })
})
