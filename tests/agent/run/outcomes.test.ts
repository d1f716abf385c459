import { describe, expect, test } from 'bun:test'
import { createRedact } from '@wattfeed/base'
import { AllNodesFailedError, TransportError } from '@wattfeed/casper'
import { TransactionExpiredError, TransactionFailedError } from '@wattfeed/casper/transaction'
import {
  decidedOutcome,
  exitCodeOf,
  type FeedOutcome,
  failedOutcome,
  formatOutcomes,
  outcomeLine,
} from '../../../src/agent/feedOutcome.ts'
import { logEvent } from '../../../src/agent/monitor/logEvents.ts'
import { TransactionSlowError } from '../../../src/agent/send/patience.ts'
import { anySource, rowOf } from './fakes.ts'

const hash = 'ab'.repeat(32)
const result = {
  decision: 'new-period',
  period: 20261116,
  amount: 2n ** 511n,
  unit: '$/BBL',
  source_hash: 'cd'.repeat(16),
  source: anySource,
} as const
const row = rowOf({ value: '59.910' })
const plain = (outcome: FeedOutcome) => JSON.parse(outcomeLine(outcome, (text) => text))

const attested = decidedOutcome('EIA.A', { row, result }, { transactionHashes: [hash] })
const withheld = decidedOutcome('EIA.B', {
  row: rowOf({ value: null }),
  result: { decision: 'withheld', period: 20261116, amount: null, unit: '$/BBL', source_hash: null },
})
const unread = failedOutcome('EIA.C', new TypeError('no key s3cret'), { row: null, result: null })

describe('outcomeLine', () => {
  test('default: these members in this order, numbers of any size as text', () => {
    expect(outcomeLine(attested, (text) => text)).toBe(
      `{"feed_id":"EIA.A","decision":"new-period","period":20261116,"amount":"${2n ** 511n}","value":"59.910","unit":"$/BBL","source_hash":"${'cd'.repeat(16)}","transaction_hash":"${hash}","error":null,"transaction_hashes":["${hash}"],"caught_up":[],"missing":0,"revised":[],"left_out":[],"waits_for":null,"waits_until":null,"gaps":null,"signers":[]}`,
    )
  })

  test('default: null if nothing is known', () => {
    expect(plain(withheld)).toEqual({
      feed_id: 'EIA.B',
      decision: 'withheld',
      period: 20261116,
      amount: null,
      value: null,
      unit: '$/BBL',
      source_hash: null,
      transaction_hash: null,
      error: null,
      transaction_hashes: [],
      caught_up: [],
      missing: 0,
      revised: [],
      left_out: [],
      waits_for: null,
      waits_until: null,
      gaps: null,
      signers: [],
    })
  })

  test('default: the work besides the newest row; for a failed feed, the work before the failure', () => {
    const progress = {
      transactionHashes: ['01', '02'],
      caughtUp: [20261111, 20261112],
      missing: 3,
      revised: [20261109],
      leftOut: [{ period: 20261113, reason: 'withheld' }],
      gaps: [20261110],
    }
    const fields = {
      transaction_hashes: ['01', '02'],
      caught_up: [20261111, 20261112],
      missing: 3,
      revised: [20261109],
      left_out: [{ period: 20261113, reason: 'withheld' }],
      gaps: [20261110],
    }
    expect(plain(decidedOutcome('EIA.A', { row, result }, progress))).toMatchObject(fields)
    const slow = new TransactionSlowError({ transaction_hash: hash, expires_at: 1_700_000_000_000 }, 1_000, 0)
    expect(plain(failedOutcome('EIA.A', slow, { row, result }, progress))).toMatchObject({
      ...fields,
      transaction_hash: hash,
      waits_for: hash,
      waits_until: 1_700_000_000_000,
    })
    const unreadable = failedOutcome('EIA.A', new TypeError('a bug'), { row, result }, progress)
    expect(plain(unreadable)).toMatchObject({ transaction_hash: '02', waits_for: null, waits_until: null })
  })

  test('error: its code, and the transaction that it speaks of', () => {
    const executed = {
      transactionHash: hash,
      errorMessage: 'User error: 1',
      blockHeight: 7,
      chargedMotes: 5n,
    }
    const failed = failedOutcome('EIA.A', new TransactionFailedError({ executed: executed as never }), {
      row,
      result,
    })
    expect(plain(failed)).toMatchObject({
      decision: null,
      period: 20261116,
      transaction_hash: hash,
      error: { code: 'transaction_failed', retryable: false },
    })
    const expired = failedOutcome('EIA.A', new TransactionExpiredError({ transactionHash: hash }), {
      row,
      result,
    })
    expect(plain(expired)).toMatchObject({
      transaction_hash: hash,
      error: { code: 'transaction_expired', retryable: true },
    })
  })

  test('error: an unexpected one is internal; secrets are redacted', () => {
    expect(JSON.parse(outcomeLine(unread, createRedact(['s3cret']))).error).toEqual({
      code: 'internal',
      message: 'no key [redacted]',
      retryable: false,
    })
  })

  test('behavior: one line, for any data of EIA', () => {
    const odd = decidedOutcome('EIA.A', { row: rowOf({ value: 'a\nb\u2028"' }), result })
    expect(outcomeLine(odd, (text) => text).split('\n')).toBeArrayOfSize(1)
    expect(plain(odd).value).toBe('a\nb\u2028"')
  })
})

describe('formatOutcomes', () => {
  test('default: a table, the errors, and the count of each kind', () => {
    expect(formatOutcomes([attested, withheld, unread])).toBe(
      [
        'feed   decision        period    value   unit   transaction',
        `EIA.A  new-period      20261116  59.910  $/BBL  ${hash}`,
        'EIA.B  withheld        20261116  -       $/BBL  -',
        'EIA.C  error internal  -         -       -      -',
        'EIA.C: no key s3cret',
        '1 new-period, 1 withheld, 1 failed',
      ].join('\n'),
    )
  })

  test('behavior: a line for a feed of which earlier periods were attested, or left out', () => {
    const caughtUp = Array.from({ length: 9 }, (_, index) => 20261101 + index)
    const leftOut = [{ period: 20261110, reason: 'withheld' }]
    const progress = { caughtUp, missing: 2, revised: [20261031], leftOut }
    expect(formatOutcomes([decidedOutcome('EIA.A', { row, result }, progress)]).split('\n')[2]).toBe(
      'EIA.A: caught up 20261101, 20261102, 20261103, 20261104, 20261105, 20261106 and 3 more; 2 still missing; revised 20261031; left out 20261110 (withheld)',
    )
  })

  test('behavior: hours are times', () => {
    const hour = 1_794_783_600
    const hourly = decidedOutcome(
      'EIA.A',
      { row, result: { ...result, period: hour } },
      { caughtUp: [hour - 3_600], leftOut: [{ period: hour - 7_200, reason: 'withheld' }] },
    )
    const [, cells, progress] = formatOutcomes([hourly]).split('\n')
    expect(cells).toContain('2026-11-15T23:00Z')
    expect(progress).toBe('EIA.A: caught up 2026-11-15T22:00Z; left out 2026-11-15T21:00Z (withheld)')
    expect(plain(hourly)).toMatchObject({ period: hour, caught_up: [hour - 3_600] })
  })

  test('behavior: control characters of upstream do not reach the terminal', () => {
    const odd = decidedOutcome('EIA.A', { row: rowOf({ value: '\u001b[31m', unit: null }), result })
    expect(formatOutcomes([odd])).not.toContain('\u001b')
  })
})

test('default: exit code 0 if every feed was decided, 2 if some failed', () => {
  expect([exitCodeOf([attested, withheld]), exitCodeOf([attested, unread]), exitCodeOf([])]).toEqual([
    0, 2, 0,
  ])
})

describe('logEvent', () => {
  test('default: hours are times, and a period without a value is not called lost', () => {
    const logged: [fields: object, message: string][] = []
    const log = (fields: object, message: string) => void logged.push([fields, message])
    const hour = 1_794_783_600
    const progress = {
      caughtUp: [hour - 3_600],
      leftOut: [{ period: hour - 7_200, reason: 'withheld' }],
      gaps: [hour - 10_800],
    }
    const outcome = decidedOutcome('EIA.A', { row, result: { ...result, period: hour } }, progress)
    logEvent({ info: log, warn: log, error: log }, { event: 'outcome', outcome })
    expect(logged).toEqual([
      [
        { feed_id: 'EIA.A', left_out: [{ period: '2026-11-15T21:00Z', reason: 'withheld' }] },
        'periods left out: EIA has no attestable value for them',
      ],
      [
        {
          feed_id: 'EIA.A',
          decision: 'new-period',
          period: '2026-11-15T23:00Z',
          transaction_hash: null,
          caught_up: ['2026-11-15T22:00Z'],
          gaps: ['2026-11-15T20:00Z'],
        },
        'feed decided',
      ],
    ])
  })

  test('behavior: a full disk is named, and is not a fault of the program', () => {
    const logged: [level: string, fields: object][] = []
    const at = (level: string) => (fields: object) => void logged.push([level, fields])
    const log = { info: at('info'), warn: at('warn'), error: at('error') }
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    for (const error of [full, new TypeError('a bug')])
      logEvent(log, {
        event: 'outcome',
        outcome: failedOutcome('EIA.A', error, { row: null, result: null }),
      })
    expect(logged).toMatchObject([
      [
        'warn',
        {
          feed_id: 'EIA.A',
          code: 'system',
          error: 'ENOSPC: no space left on device, write: the disk is full: free some space',
        },
      ],
      ['error', { feed_id: 'EIA.A', err: { message: 'a bug' } }],
    ])
  })

  test('behavior: a cycle names the fix if no node can be reached, also if another feed failed first', () => {
    const hints: object[] = []
    const log = { info: () => {}, warn: (fields: object) => void hints.push(fields), error: () => {} }
    const error = new TransportError('connection refused')
    const out = new AllNodesFailedError('chain_get_block', [{ host: 'a', error }])
    const outcomes = [unread, failedOutcome('EIA.D', out, { row: null, result: null })]
    logEvent(log, { event: 'cycle', outcomes, durationMs: 1 })
    logEvent(log, { event: 'cycle', outcomes: [unread], durationMs: 1 })
    expect(hints).toEqual([{ hint: expect.stringContaining('set CASPER_RPC_URL') }])
  })
})
