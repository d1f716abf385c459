import { expect, test } from 'bun:test'
import { startWaiting } from '../../src/operator/progress.ts'

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

test('default: every 15 s: which transaction, since when, until when, and what the nodes say', () => {
  const { waiting, lines, everyMs, pass } = bench()
  waiting.note({ event: 'written', pending })
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

test.each(['executed', 'failed', 'expired', 'refused', 'clock_off'])(
  'behavior: one that is %s is not waited for',
  (event) => {
    const { waiting, lines, pass } = bench()
    waiting.note({ event: 'accepted', pending })
    waiting.note({ event, pending })
    pass(null)
    expect(lines).toEqual([])
  },
)

test('behavior: it ends with the command', () => {
  const { waiting, isOver } = bench()
  waiting[Symbol.dispose]()
  expect(isOver()).toBeTrue()
})
