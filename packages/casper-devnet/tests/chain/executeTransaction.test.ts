import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { accountKey, encodeStoredValue, stateKey, urefKey } from '@wattfeed/casper/types'
import { executionJson } from '../../src/chain/executePending.ts'
import { type ExecutionBlock, executeTransaction } from '../../src/chain/executeTransaction.ts'
import { createOverlay } from '../../src/chain/overlay.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { balanceKey, encodeMotes, readBalance, readMotes } from '../../src/engine/purse.ts'
import { parseTransaction } from '../../src/transaction/parseTransaction.ts'
import type { Transaction } from '../../src/transaction/transaction.ts'
import { transactionRules } from '../../src/transaction/transactionRules.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { transactions } from '../support/recordings.ts'

const payerOf = (text: unknown): Uint8Array => {
  const [, hex = ''] = /^balance-hold-01([0-9a-f]{64})/.exec(String(text)) ?? []
  return Uint8Array.fromHex(hex)
}
const blockTimeOf = (text: unknown): number => {
  const [, hex = ''] = /([0-9a-f]{16})$/.exec(String(text)) ?? []
  return Number(Buffer.from(hex, 'hex').readBigUInt64LE())
}

/** A recorded transaction, with the parts of the state before it that its payment reveals. */
function readRecorded(note: string) {
  const recorded = transactions.find((each) => each.note === note)
  const result = recorded !== undefined && 'result' in recorded ? recorded.result : null
  const executed = JSON.parse(
    JSON.stringify(memberAt(result, 'execution_info', 'execution_result', 'Version2', 'effects')),
  )
  const version2 = Object(memberAt(result, 'execution_info', 'execution_result', 'Version2'))
  const hold = executed[0].key
  const payerWrite = executed.at(-2)
  const proposer = Uint8Array.fromHex(executed.at(-1).key.replace('balance-', ''))
  const fee = BigInt(version2.cost) - BigInt(version2.refund)
  return {
    transaction: parseTransaction(memberAt(result, 'transaction')),
    version2,
    payment: [executed[0], ...executed.slice(-3)],
    payer: payerOf(hold),
    blockTimeMs: blockTimeOf(hold),
    proposer,
    balanceBefore: BigInt(payerWrite.kind.Write.CLValue.parsed) + fee,
  }
}

const purse = (address: Uint8Array): Uint8Array => Uint8Array.of(...address, 7)

function stateOf(transaction: Transaction, payer: Uint8Array, balance: bigint, deployment = 1) {
  const { accountHash } = transaction.initiator
  const account = encodeStoredValue({
    kind: 'Account',
    account: {
      accountHash,
      namedKeys: new Map(),
      mainPurse: purse(payer),
      associatedKeys: [{ accountHash, weight: 1 }],
      actionThresholds: { deployment, keyManagement: deployment },
    },
  })
  const stored = new Map([
    [stateKey(accountKey(accountHash)), account],
    [stateKey(balanceKey(payer)), encodeMotes(balance)],
  ])
  return createOverlay({ read: (key) => stored.get(key) ?? null, listKeys: () => [] })
}

const { refundRatio } = transactionRules(chainspecs['2.0.3'])

/** A block of the recorded network, whose proposer receives the fees. */
const blockOf = (proposer: Uint8Array, timeMs = 1): ExecutionBlock => ({
  chainspec: chainspecs['2.0.3'],
  timeMs,
  height: 1,
  parentHash: new Uint8Array(32),
  parentStateRoot: new Uint8Array(32),
  refundRatio,
  transferMotes: null,
  fees: { proposerPurse: purse(proposer) },
})

describe('executeTransaction', () => {
  test.each([
    'same transaction sent again',
    'attest executed',
    'attest by a stranger executed: Unauthorized',
    'unknown entry point executed',
  ])('default: recorded: %s: cost, refund and effects of the payment are the recorded ones', (note) => {
    const found = transactions.some((each) => each.note === note && each.method === 'info_get_transaction')
    if (!found) return
    const { transaction, version2, payment, payer, blockTimeMs, proposer, balanceBefore } = readRecorded(note)
    const engine = createFakeEngine(() => ({
      error: version2.error_message,
      consumed: BigInt(version2.consumed),
    }))
    const state = stateOf(transaction, payer, balanceBefore)
    const block = blockOf(proposer, blockTimeMs)
    const json = Object(executionJson(transaction, executeTransaction(engine, transaction, block, state)))
    const { effects, ...rest } = json.Version2
    const { effects: _, ...recorded } = version2
    expect(rest).toEqual(recorded)
    expect([effects[0], ...effects.slice(-3)]).toEqual(payment)
  })

  test('behavior: a burned fee reduces the total supply, where the proposer would receive it', () => {
    const { transaction, payment, payer, balanceBefore } = readRecorded('attest executed')
    const state = stateOf(transaction, payer, balanceBefore)
    const totalSupply = purse(new Uint8Array(32).fill(5))
    const supplyKey = urefKey(totalSupply)
    state.write(stateKey(supplyKey), encodeMotes(balanceBefore))
    const block = { ...blockOf(payer), fees: { totalSupply } }
    const engine = createFakeEngine()
    const { effects, costMotes, refundMotes } = executeTransaction(engine, transaction, block, state)
    const left = balanceBefore - (costMotes - refundMotes)
    expect(costMotes).toBeGreaterThan(refundMotes)
    expect(effects.slice(-3)).toEqual([
      { key: balanceKey(payer), transform: { kind: 'Write', stored: encodeMotes(left) } },
      { key: supplyKey, transform: { kind: 'Identity' } },
      { key: supplyKey, transform: { kind: 'Write', stored: encodeMotes(left) } },
    ])
    expect(effects.at(-4)?.transform.kind).toBe('Prune')
    expect(payment).toHaveLength(4)
    expect([readBalance(state, payer), readMotes(state, supplyKey)]).toEqual([left, left])
  })

  test('behavior: writes are kept on success and dropped on failure', () => {
    const { transaction, payer, proposer, balanceBefore } = readRecorded('attest executed')
    const block = blockOf(proposer)
    for (const [error, writes] of [
      [null, 3],
      ['User error: 1', 2],
    ] as const) {
      const state = stateOf(transaction, payer, balanceBefore)
      executeTransaction(
        createFakeEngine(() => ({ error })),
        transaction,
        block,
        state,
      )
      expect(state.writes.size).toBe(writes)
    }
  })

  test('behavior: the hold does not stay in the state', () => {
    const { transaction, payer, proposer, balanceBefore } = readRecorded('attest executed')
    const state = stateOf(transaction, payer, balanceBefore)
    executeTransaction(createFakeEngine(), transaction, blockOf(proposer), state)
    expect([...state.writes.keys()].filter((key) => key.startsWith('16'))).toEqual([])
  })

  test('behavior: the refund is the share that the chainspec says, rounded down', () => {
    const { transaction, payer, proposer, balanceBefore } = readRecorded('attest executed')
    const engine = createFakeEngine(() => ({ consumed: 2_999_999_994n }))
    const refunds = [refundRatio, [0n, 1n], [2n, 4n], [99n, 100n]] as const
    const refunded = refunds.map((ratio) => {
      const state = stateOf(transaction, payer, balanceBefore)
      const block = { ...blockOf(proposer), refundRatio: ratio }
      return executeTransaction(engine, transaction, block, state).refundMotes
    })
    expect(refunded).toEqual([4n, 0n, 3n, 5n])
  })

  test('error: a limit above the balance: no execution and no payment', () => {
    const { transaction, payer, proposer } = readRecorded('attest executed')
    const engine = createFakeEngine()
    const state = stateOf(transaction, payer, 2_999_999_999n)
    const block = blockOf(proposer)
    expect(executeTransaction(engine, transaction, block, state)).toMatchObject({
      error: 'penalized: false, sufficient balance: false, allowed by chainspec: true',
      costMotes: 3_000_000_000n,
      refundMotes: 0n,
      effects: [],
    })
    expect(engine.requests).toEqual([])
    expect(readBalance(state, purse(payer))).toBe(2_999_999_999n)
  })

  test('error: code that consumes nothing fails, and pays everything', () => {
    const { transaction, payer, proposer, balanceBefore } = readRecorded('attest executed')
    const state = stateOf(transaction, payer, balanceBefore)
    const engine = createFakeEngine(() => ({ consumed: 0n }))
    const executed = executeTransaction(engine, transaction, blockOf(proposer), state)
    expect(executed).toMatchObject({ error: 'Wasm consumed 0 gas', consumedMotes: 0n, refundMotes: 0n })
    expect(state.writes.size).toBe(2)
  })

  test('error: a transfer whose signatures have become too light since it was accepted, which costs its limit', () => {
    const { transaction, payer, proposer } = readRecorded('attest executed')
    const transfer: Transaction = { ...transaction, target: { kind: 'transfer' } }
    const state = stateOf(transaction, payer, 4_000_000_000n, 2)
    const block = blockOf(proposer)
    expect(executeTransaction(createFakeEngine(), transfer, block, state)).toMatchObject({
      error: 'Deployment authorization failure',
      consumedMotes: 3_000_000_000n,
      refundMotes: 0n,
      transfers: [],
    })
    expect(readBalance(state, purse(payer))).toBe(1_000_000_000n)
  })
})
