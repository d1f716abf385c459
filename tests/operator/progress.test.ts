import { expect, test } from 'bun:test'
import type { SendStep } from '@wattfeed/casper/transaction'
import { formatStep, startWaiting } from '../../src/operator/progress.ts'

const START = Date.UTC(2026, 10, 22, 12, 0, 3)
const pending = { transaction_hash: 'ab', expires_at: START + 300_000 }

function bench() {
  const lines: string[] = []
  let failure: string | null = null
  let tick = (): void => {}
  let everyMs = 0
  let isOver = false
  const waiting = startWaiting({
    rpc: { lastFailure: () => failure },
    say: (line) => lines.push(line),
    now: () => START,
    repeat(call, ms) {
      tick = call
      everyMs = ms
      return () => {
        isOver = true
      }
    },
  })
  return {
    waiting,
    lines,
    everyMs,
    pass: (nodes: string | null) => {
      failure = nodes
      tick()
    },
    isOver: () => isOver,
  }
}

test('default: every 15 s: the transaction, its start and expiry, and the state of the nodes', () => {
  const { waiting, lines, everyMs, pass } = bench()
  waiting.note({ step: 'written', pending })
  pass(null)
  pass('node.test: the connection failed')
  expect({ everyMs, lines }).toEqual({
    everyMs: 15_000,
    lines: [
      'waiting for transaction ab since 12:00:03, until 12:05:03 UTC at most',
      'waiting for transaction ab since 12:00:03, until 12:05:03 UTC at most; node.test: the connection failed',
    ],
  })
})

test('behavior: before anything is sent, only nodes that do not answer are named', () => {
  const { lines, pass } = bench()
  pass(null)
  pass('node.test has not answered query_balance yet')
  expect(lines).toEqual([
    'waiting for the nodes since 12:00:03 UTC, nothing is sent yet; node.test has not answered query_balance yet',
  ])
})

test.each(['settled', 'removed', 'not_removed', 'clock_off'])(
  'behavior: one that is %s is not waited for',
  (step) => {
    const { waiting, lines, pass } = bench()
    waiting.note({ step: 'accepted', pending })
    waiting.note({ step, pending })
    pass(null)
    expect(lines).toEqual([])
  },
)

test('behavior: it ends with the command', () => {
  const { waiting, isOver } = bench()
  waiting[Symbol.dispose]()
  expect(isOver()).toBeTrue()
})

const stored = {
  version: 1 as const,
  chain_name: 'casper-net-1',
  purpose: { kind: 'any' },
  payment_motes: '2500000000',
  transaction: { Version1: { hash: 'ab' } },
  ...pending,
}
const executed = {
  transactionHash: 'ab',
  blockHash: 'def',
  blockHeight: 170,
  errorMessage: null,
  limitMotes: 2_500_000_000n,
  consumedMotes: 1_000_000_000n,
  refundMotes: 1_125_000_000n,
  chargedMotes: 1_375_000_000n,
}

const lines: [SendStep, string | null][] = [
  [{ step: 'signed', pending: stored }, null],
  [{ step: 'written', pending: stored }, 'X: sending ab'],
  [{ step: 'accepted', pending: stored }, 'X: accepted, waiting for a block'],
  [{ step: 'pending', pending: stored }, 'X: waiting for a block'],
  [{ step: 'sent_again', pending: stored }, 'X: sent again, the same bytes'],
  [{ step: 'unreachable', pending: stored }, 'X: no node answers, retrying'],
  [
    { step: 'settled', pending: stored, settlement: { outcome: 'executed', executed, error: null } },
    'X: executed in block 170, cost 1.375 CSPR',
  ],
  [{ step: 'removed', pending: stored }, null],
]
test.each(lines)('default: formatStep of %p', (sendStep, line) => {
  expect(formatStep('X', sendStep)).toBe(line)
})
