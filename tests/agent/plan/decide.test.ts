import { describe, expect, test } from 'bun:test'
import { type EiaRow, PeriodError } from '@wattfeed/eia'
import fc from 'fast-check'
import { NotANumberError } from '../../../packages/eia/src/readValue.ts'
import { ScaleError } from '../../../packages/eia/src/scaleDecimal.ts'
import { hashSource } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'
import { type DecisionInput, decide, isWritten } from '../../../src/agent/plan/decide.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'

const feed: SeriesConfig = {
  feed_id: 'EIA.PET.PRICE.WTI.DAILY',
  title: 'WTI spot price',
  description: 'Spot price of West Texas Intermediate at Cushing, Oklahoma',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: 'RWTC' },
  unit: '$/bbl',
  decimals: 6,
}

/** The vector of the published list of source hashes. */
const row: EiaRow = { period: '2026-11-16', value: '59.91', unit: '$/BBL', statedUnit: '$/BBL' }
const written = { period: 20261116, amount: 59_910_000n, source_hash: 'd40bab3b102d38fc6074ccb9317bee27' }

const noon = (day: string): number => Date.parse(`${day}T12:00:00Z`)
const now = noon('2026-11-20')

const decisionOf = (changes: Partial<DecisionInput> & { value?: string | null; period?: string }) => {
  const { value = row.value, period = row.period, ...rest } = changes
  return decide({ row: { ...row, value, period }, feed, latest: null, now, ...rest })
}

const later = { ...written, period: 20261117 }
const earlier = { ...written, period: 20261113 }

describe('decide', () => {
  test('default: a new period, with everything that an attestation needs', () => {
    expect(decisionOf({})).toEqual({
      decision: 'new-period',
      period: written.period,
      amount: written.amount,
      unit: '$/BBL',
      source_hash: written.source_hash,
      source: expect.objectContaining({ route: feed.route, value: row.value }),
    })
  })

  const table: [string, Parameters<typeof decisionOf>[0], string][] = [
    ['the chain holds none', {}, 'new-period'],
    ['the chain holds an earlier period', { latest: earlier }, 'new-period'],
    ['the chain holds just this', { latest: written }, 'unchanged'],
    ['another amount for the period', { latest: { ...written, amount: 1n } }, 'revision'],
    [
      'another hash for the period and amount',
      { latest: { ...written, source_hash: '0'.repeat(32) } },
      'revision',
    ],
    ['the same amount in other digits', { latest: written, value: '59.910' }, 'revision'],
    ['digits beyond the decimals', { latest: written, value: '59.9100001' }, 'revision'],
    ['the chain holds a later period', { latest: later }, 'older-than-chain'],
    ['zero', { value: '0' }, 'new-period'],
    ['minus zero', { value: '-0.0' }, 'new-period'],
    ['an exponent', { value: '5.991e1' }, 'new-period'],
    ['a negative value', { value: '-37.63' }, 'negative'],
    ['a negative value that scaling cuts to zero', { value: '-0.0000001' }, 'negative'],
    ['negative comes before the chain', { value: '-1', latest: later }, 'negative'],
    ['a day that has not begun', { period: '2026-11-21' }, 'future-period'],
    ['future comes before negative', { period: '2026-11-21', value: '-1' }, 'future-period'],
    ['future comes before too large', { period: '2026-11-21', value: '1e999' }, 'future-period'],
    ['future comes before the chain', { period: '2026-11-21', latest: later }, 'future-period'],
    ['a day that has begun', { period: '2026-11-20' }, 'new-period'],
    ['a day that begins now', { period: '2026-11-20', now: Date.parse('2026-11-20') }, 'new-period'],
    [
      'a day that begins in 1 ms',
      { period: '2026-11-20', now: Date.parse('2026-11-20') - 1 },
      'future-period',
    ],
    [
      'a future day that is allowed',
      { period: '2026-11-21', feed: { ...feed, allow_future: true } },
      'new-period',
    ],
    ['null', { value: null }, 'withheld'],
    ['withheld comes before future', { value: null, period: '2026-11-21' }, 'withheld'],
    ['withheld comes before the chain', { value: 'w', latest: later }, 'withheld'],
  ]
  test.each(table)('default: %s', (_, input, decision) => {
    expect<string>(decisionOf(input).decision).toBe(decision)
  })

  test.each(['w', 'W', 'NA', 'N/A', 'NM', 'Q', '(s)', '*', '--', '-', '', ' ', '.'])(
    'behavior: %p is a mark of EIA and so withheld',
    (value) => {
      expect(decisionOf({ value })).toEqual({
        decision: 'withheld',
        period: written.period,
        amount: null,
        unit: '$/BBL',
        source_hash: null,
      })
    },
  )

  test.each(['1,234', '1 2', 'NaN', 'Infinity', '12%', '−5', '0x10', 'null', '1e', '٣'])(
    'error: %p is neither a number nor withheld',
    (value) => {
      expect(() => decisionOf({ value })).toThrow(NotANumberError)
    },
  )

  test('behavior: the unit of the row is hashed, else the configured one', () => {
    const result = decide({ row: { ...row, unit: null, statedUnit: 'x' }, feed, latest: null, now })
    const { route, frequency, facets } = feed
    const source = { route, frequency, facets, period: row.period, value: '59.91', unit: '$/bbl' }
    expect([result.unit, result.source_hash]).toEqual(['$/bbl', hashSource(source)])
  })

  test('behavior: an hour is in the future until it starts, and its offset counts', () => {
    const hourly = { ...feed, frequency: 'local-hourly' as const }
    const at = (now: string) =>
      decisionOf({ feed: hourly, period: '2026-11-20T00-07', now: Date.parse(now) }).decision
    expect([at('2026-11-20T06:59:59Z'), at('2026-11-20T07:00:00Z')]).toEqual(['future-period', 'new-period'])
  })

  test.each<[SeriesConfig['frequency'], over: string, current: string]>([
    ['monthly', '2026-10', '2026-11'],
    ['quarterly', '2026-Q3', '2026-Q4'],
    ['annual', '2025', '2026'],
    ['weekly', '2026-11-20', '2026-11-21'],
  ])('behavior: %s: %s is attested, %s not yet', (frequency, over, current) => {
    const of = (period: string, allow_future?: boolean) =>
      decisionOf({ feed: { ...feed, frequency, ...(allow_future ? { allow_future } : {}) }, period }).decision
    expect([of(over), of(current), of(current, true)]).toEqual(['new-period', 'future-period', 'new-period'])
  })

  test('behavior: a month is attested from the moment at which it has ended', () => {
    const at = (now: number) =>
      decisionOf({ feed: { ...feed, frequency: 'monthly' }, period: '2026-11', now }).decision
    expect([at(Date.UTC(2026, 11, 1) - 1), at(Date.UTC(2026, 11, 1))]).toEqual([
      'future-period',
      'new-period',
    ])
  })

  test('error: an amount of more than 512 bits, even if the chain is ahead', () => {
    expect(() => decisionOf({ value: '1e999' })).toThrow(ScaleError)
    expect(() => decisionOf({ value: '1e999', latest: later })).toThrow(ScaleError)
  })

  test.each(['2026-02-30', '2026-11', ''])(
    'error: %p is not a day, even if the value is withheld',
    (period) => {
      expect(() => decisionOf({ period })).toThrow(PeriodError)
      expect(() => decisionOf({ period, value: null })).toThrow(PeriodError)
    },
  )
})

describe('decide with random input', () => {
  const day = fc
    .integer({ min: 0, max: 40_000 })
    .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10))
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.string(),
    fc.constantFrom(null, 'w', 'NA', '--', '-0', '.306'),
  )
  const latest = fc.option(
    fc.record({
      period: day.map((text) => Number(text.replaceAll('-', ''))),
      amount: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      source_hash: fc.constantFrom('0'.repeat(32), written.source_hash),
    }),
  )
  const input = fc.record({
    row: fc.record({ period: day, value, unit: fc.option(fc.string()), statedUnit: fc.constant(null) }),
    feed: fc.boolean().map((allow_future) => ({ ...feed, allow_future })),
    latest,
    now: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  })

  const tried = (each: DecisionInput) => {
    try {
      return decide(each)
    } catch (error) {
      if (error instanceof ScaleError && error.reason === 'too_large') return null
      if (error instanceof NotANumberError) return null
      throw error
    }
  }

  test('behavior: a written value is unchanged afterwards', () => {
    fc.assert(
      fc.property(input, (each) => {
        const first = tried(each)
        fc.pre(first !== null && isWritten(first))
        const { period, amount, source_hash } = first
        const again = decide({ ...each, latest: { period, amount, source_hash } })
        expect(again.decision).toBe('unchanged')
      }),
    )
  })

  test('behavior: nothing is ever written for a period before that on chain, or one that has not started', () => {
    fc.assert(
      fc.property(input, (each) => {
        const result = tried(each)
        fc.pre(result !== null && isWritten(result))
        expect(result.period).toBeGreaterThanOrEqual(each.latest?.period ?? 0)
        if (!each.feed.allow_future) expect(Date.parse(each.row.period)).toBeLessThanOrEqual(each.now)
        expect(result.amount >= 0n).toBeTrue()
      }),
    )
  })

  test('behavior: amount and hash are present exactly if the chain was compared', () => {
    fc.assert(
      fc.property(input, (each) => {
        const result = tried(each)
        fc.pre(result !== null)
        const isCompared = !['withheld', 'future-period', 'negative'].includes(result.decision)
        expect([result.amount !== null, result.source_hash !== null]).toEqual([isCompared, isCompared])
      }),
    )
  })
})
