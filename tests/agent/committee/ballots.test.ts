import { describe, expect, test } from 'bun:test'
import type { Pending } from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { NewAttestation } from '../../../packages/wattfeed/src/registry/calls.ts'
import {
  type AwaitedValues,
  Ballots,
  WaitingForApprovalsError,
} from '../../../src/agent/committee/ballots.ts'
import type { Proposal } from '../../../src/agent/committee/proposal.ts'
import type { Refusal } from '../../../src/agent/committee/refusal.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { executedAs } from '../run/fakes.ts'

const value = (amount: bigint): NewAttestation => ({
  feed_id: 'EIA.A',
  period: 20261116,
  amount,
  source_hash: 'ab',
})
const awaitedOf = (amount: bigint, height = 6): AwaitedValues => ({
  feedId: 'EIA.A',
  height,
  latest: null,
  values: [value(amount)],
})
const transactionOf = (amount: bigint): Pending => ({
  chain_name: 'c',
  purpose: createAttestPurpose([value(amount)]),
  transaction_hash: 'cd'.repeat(32),
  expires_at: 1,
  payment_motes: '1',
  transaction: { Version1: { hash: 'cd'.repeat(32) } },
})
const proposal: Proposal = {
  hash: 'cd'.repeat(32),
  timestamp: 1,
  expiresAt: 2,
  chainName: 'c',
  initiator: 'i',
  paymentMotes: 1n,
  attestations: [value(5n)],
  payload: null,
}

const failed = { ...executedAs('cd'.repeat(32)), errorMessage: 'User error: 1' }

function open() {
  const stop = new AbortController()
  const waits: (() => void)[] = []
  const patience: number[] = []
  const ballots = new Ballots({
    nameOf: (key) => `name of ${key}`,
    keyHash: 'own',
    unready: () => null,
    patienceMs: 1,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        patience.push(ms)
        waits.push(resolve)
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    stop: stop.signal,
  })
  return { ballots, stop, patience, endPatience: () => waits[0]?.() }
}

const answer = (ballots: Ballots, member: string, refusal: Refusal | null): void =>
  ballots.hear({ event: 'answered', proposal, member, refusal })

const execute = (ballots: Ballots, amount: bigint, executed = executedAs('cd'.repeat(32))): void =>
  ballots.hear({
    event: 'ended',
    transaction: transactionOf(amount),
    executed,
    approvedBy: ['own', 'b'],
    answers: new Map(),
  })

describe('Ballots', () => {
  test('default: a wait ends with the transaction and its signers', async () => {
    const { ballots } = open()
    const waiting = ballots.wait(awaitedOf(5n))
    execute(ballots, 5n)
    expect(await waiting).toMatchObject({
      executed: { transactionHash: 'cd'.repeat(32) },
      signers: ['name of own', 'name of b'],
    })
  })

  test('behavior: a transaction that was executed before the wait counts', async () => {
    const { ballots } = open()
    execute(ballots, 5n)
    expect(await ballots.wait(awaitedOf(5n))).toMatchObject({
      executed: { transactionHash: 'cd'.repeat(32) },
    })
  })

  test('behavior: a transaction that the plan has taken into account does not count, even if its values are due again', async () => {
    const { ballots } = open()
    execute(ballots, 5n, executedAs('cd'.repeat(32), 7))
    // Meanwhile, the committee has attested another value without this member.
    const waiting = ballots.wait(awaitedOf(5n, 20))
    // The first transaction is reported once more, by the one who follows it.
    ballots.noteExecuted(transactionOf(5n), executedAs('cd'.repeat(32), 7))
    const again = { ...transactionOf(5n), transaction_hash: 'ef'.repeat(32) }
    ballots.noteExecuted(again, executedAs('ef'.repeat(32), 21))
    expect(await waiting).toMatchObject({ executed: { transactionHash: 'ef'.repeat(32) } })
  })

  test('behavior: a limited wait ends without a result, and what is attested later is not its error', async () => {
    const { ballots, endPatience, patience } = open()
    const waiting = ballots.waitFor(awaitedOf(5n), 7)
    expect(patience).toEqual([7])
    endPatience()
    expect(await waiting).toBeNull()
    execute(ballots, 6n)
    execute(ballots, 5n)
    expect(await ballots.waitFor(awaitedOf(5n), 7)).toMatchObject({
      executed: { transactionHash: 'cd'.repeat(32) },
    })
  })

  test('error: after its patience, it names what each member has answered', async () => {
    const { ballots, endPatience } = open()
    const waiting = errorOf(ballots.wait(awaitedOf(5n)))
    answer(ballots, 'b', null)
    answer(ballots, 'c', { code: 'not_released', detail: 'no value' })
    endPatience()
    expect(await waiting).toMatchObject({
      code: 'waiting_for_approvals',
      message:
        'EIA.A waits for approvals: name of b approved, name of c answered not_released (no value); the committee continues, and the next cycle looks again',
    })
  })

  test('error: the text of another member is escaped and cut, because it is printed', async () => {
    const { ballots, endPatience } = open()
    const waiting = errorOf(ballots.wait(awaitedOf(5n)))
    answer(ballots, 'c', { code: 'not_released', detail: `\u001b[2J${'x'.repeat(60_000)}` })
    endPatience()
    const { message } = await waiting
    expect(message).toContain('not_released (\\u{1b}[2J')
    expect(message.length).toBeLessThan(500)
  })

  test('error: members with different values are a disagreement, with both values', async () => {
    const { ballots, stop } = open()
    const waiting = errorOf(ballots.wait(awaitedOf(5n)))
    const [proposed, own] = ['5', '6'].map((amount) => ({ period: 20261116, amount, source_hash: 'ab' }))
    if (proposed === undefined || own === undefined) throw new Error('there are two')
    answer(ballots, 'b', null)
    answer(ballots, 'c', { code: 'different_value', feed_id: 'EIA.A', proposed, own })
    stop.abort()
    expect(await waiting).toMatchObject({ code: 'quorum_disagreed', member: 'name of c', proposed, own })
  })

  test('error: a value that the committee has attested instead is a disagreement', async () => {
    const { ballots } = open()
    const waiting = errorOf(ballots.wait(awaitedOf(5n)))
    execute(ballots, 6n)
    expect(await waiting).toMatchObject({
      code: 'quorum_disagreed',
      proposed: { amount: '6' },
      own: { amount: '5' },
    })
  })

  test('error: a transaction that failed is the error of its feeds', async () => {
    const { ballots } = open()
    const waiting = errorOf(ballots.wait(awaitedOf(5n)))
    ballots.noteExecuted(transactionOf(5n), failed)
    expect(await waiting).toMatchObject({ code: 'transaction_failed' })
  })

  test('error: a transaction that another member sent, and that failed, has not attested its values', async () => {
    const { ballots, stop } = open()
    const waiting = errorOf(ballots.wait(awaitedOf(5n)))
    execute(ballots, 5n, failed)
    expect(await waiting).toMatchObject({ code: 'transaction_failed' })
    const again = errorOf(ballots.wait(awaitedOf(5n)))
    stop.abort()
    expect(await again).toMatchObject({ code: 'waiting_for_approvals' })
  })

  test('behavior: answers about any number of other feeds are forgotten', async () => {
    const { ballots, stop } = open()
    const answersOf = async () => {
      stop.abort()
      const error = await errorOf(ballots.wait(awaitedOf(5n)))
      return error instanceof WaitingForApprovalsError ? error.answers.size : null
    }
    answer(ballots, 'm1', null)
    const refusal = { code: 'unknown_feed', detail: 'it does not exist' } as const
    for (let count = 0; count < 1_000; count++) {
      const attestations = [{ ...value(5n), feed_id: `junk ${count}` }]
      ballots.hear({ event: 'refused', proposal: { ...proposal, attestations }, proposer: 'm2', refusal })
    }
    expect(await answersOf()).toBe(0)
  })
})
