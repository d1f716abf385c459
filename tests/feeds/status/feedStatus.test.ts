import { describe, expect, test } from 'bun:test'
import { frequencies } from '@wattfeed/eia'
import fc from 'fast-check'
import { releaseRules } from '../../../packages/eia/src/calendarRules.ts'
import { formatRecipe } from '../../../packages/wattfeed/src/provenance/recipe.ts'
import {
  type FeedState,
  feedStates,
  type StatusInput,
  statusOf,
} from '../../../src/feeds/status/feedStatus.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const readingOf = (fields: Partial<StatusInput> = {}): StatusInput => ({
  feed_id: 'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
  route: 'natural-gas/stor/wkly',
  frequency: 'weekly',
  description: '',
  period: 20_261_113,
  updated_at: Date.parse('2026-11-19T15:31:12.040Z'),
  ...fields,
})

const at = (time: string): number => Date.parse(time)

/** The states that a reading goes through from hour to hour, each with the first hour of it. */
function passes(reading: StatusInput, from: string, to: string): [FeedState, string][] {
  const status = statusOf(reading)
  const seen: [FeedState, string][] = []
  for (let now = at(from); now < at(to); now += 30 * MINUTE) {
    const { state } = status(now)
    if (seen.at(-1)?.[0] !== state) seen.push([state, new Date(now).toISOString().slice(0, 16)])
  }
  return seen
}

describe('statusOf', () => {
  test('default: age, due period, next release and maximum age', () => {
    const { basis, ...cadence } = statusOf(readingOf())(at('2026-11-22T12:00Z')).cadence ?? {}
    expect(cadence).toEqual({ rule: 'natural-gas-storage', valid_from: '2015-11-06', is_assumed: false })
    expect(basis).toContain('ir.eia.gov/ngs')
    expect({ ...statusOf(readingOf())(at('2026-11-22T12:00Z')), cadence: null }).toEqual({
      feed_id: 'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
      frequency: 'weekly',
      period: 20_261_113,
      period_start: '2026-11-07',
      period_end: '2026-11-13',
      attested_at: at('2026-11-19T15:31:12.040Z'),
      age_ms: at('2026-11-22T12:00Z') - at('2026-11-19T15:31:12.040Z'),
      cadence: null,
      expected_period: 20_261_113,
      due_at: at('2026-11-19T15:30Z'),
      due_on: '2026-11-19',
      next_due_at: at('2026-11-25T17:00Z'),
      next_due_on: '2026-11-25',
      // From a Thursday, 10:30, to the Friday after a holiday; an hour, and six of grace.
      max_age_ms: 8 * DAY + HOUR + 6 * HOUR,
      state: 'current',
    })
  })

  test('behavior: a release without a time in EIA’s calendar is a day; without a rule, it is assumed', () => {
    const statusAt = (fields: Partial<StatusInput>) => {
      const { cadence, due_at, due_on, next_due_at, next_due_on } = statusOf(readingOf(fields))(
        at('2026-11-23T12:00Z'),
      )
      return [cadence?.is_assumed, due_at, due_on, next_due_at, next_due_on]
    }
    const daily = { feed_id: 'WTI', route: 'petroleum/pri/spt', frequency: 'daily', period: 20_261_120 }
    expect(statusAt(daily)).toEqual([true, null, '2026-11-23', null, '2026-11-25'])
    const monthly = { feed_id: 'M', route: 'electricity/retail-sales', frequency: 'monthly', period: 202_608 }
    expect(statusAt(monthly)).toEqual([false, null, '2026-10-26', null, '2026-11-27'])
  })

  test('behavior: current until the release, due for the grace, late, stale from the second one that is missed', () => {
    expect(passes(readingOf(), '2026-11-19T16:00Z', '2026-12-10T00:00Z')).toEqual([
      ['current', '2026-11-19T16:00'],
      ['due', '2026-11-25T17:00'],
      ['late', '2026-11-25T23:00'],
      ['stale', '2026-12-03T21:30'],
    ])
  })

  test('behavior: if daylight saving starts in between, a release is an hour of UTC earlier', () => {
    const reading = readingOf({ period: 20_260_227, updated_at: at('2026-03-05T15:31Z') })
    expect(passes(reading, '2026-03-05T16:00Z', '2026-03-20T00:00Z')[1]).toEqual(['due', '2026-03-12T14:30'])
  })

  test('behavior: a demand feed is recognized by its recipe, described or built in', () => {
    const hour = { route: 'electricity/rto/region-data', frequency: 'hourly', period: 1_795_345_200 }
    const description = formatRecipe({ column: 'value', unit: 'megawatthours', facets: { type: 'D' } })
    const rules = [hour, { ...hour, description }].map(
      (each) => statusOf(readingOf(each))(at('2026-11-22T12:00Z')).cadence?.rule,
    )
    expect(rules).toEqual(['grid-generation', 'grid-demand'])
    const flagship = readingOf({ ...hour, feed_id: 'EIA.ELEC.DEMAND.US48.HOURLY' })
    expect(statusOf(flagship)(at('2026-11-22T12:00Z')).cadence?.rule).toBe('grid-demand')
  })

  test('behavior: for a forecast, the editions since its attestation count', () => {
    const steo = readingOf({
      route: 'steo',
      frequency: 'monthly',
      period: 202_712,
      updated_at: at('2026-10-06T16:05Z'),
    })
    expect(passes(steo, '2026-10-07T00:00Z', '2028-03-01T00:00Z')).toEqual([
      ['current', '2026-10-07T00:00'],
      ['due', '2026-11-10T17:00'],
      ['late', '2026-11-10T23:00'],
      ['stale', '2026-12-08T23:00'],
    ])
  })

  test('behavior: a block time beyond all dates counts as a future one', () => {
    const steo = readingOf({ route: 'steo', frequency: 'monthly', period: 202_712, updated_at: 2 ** 64 })
    expect(statusOf(steo)(at('2026-11-22T12:00Z'))).toMatchObject({ state: 'current', age_ms: 0 })
  })

  test('behavior: an old period of a forecast is stale, whenever it was attested', () => {
    const steo = readingOf({
      route: 'steo',
      frequency: 'monthly',
      period: 202_001,
      updated_at: at('2026-11-22'),
    })
    expect(statusOf(steo)(at('2026-11-22T12:00Z')).state).toBe('stale')
  })

  test.each([
    ['a period that is none of the frequency', { period: 202_613 }],
    ['a frequency that is not EIA’s', { frequency: 'fortnightly' }],
  ])('behavior: unknown, with nothing else: %s', (_, fields) => {
    const { state, cadence, period_end, expected_period, due_at, next_due_at, max_age_ms } = statusOf(
      readingOf(fields),
    )(at('2026-11-22T12:00Z'))
    expect([state, cadence, period_end, expected_period, due_at, next_due_at, max_age_ms]).toEqual([
      'unknown',
      ...Array(6).fill(null),
    ])
  })

  test('behavior: unknown: a future period that is not a forecast', () => {
    const { state, max_age_ms, expected_period } = statusOf(readingOf({ period: 20_991_231 }))(
      at('2026-11-22'),
    )
    expect([state, max_age_ms, expected_period]).toEqual(['unknown', null, 20_261_113])
  })

  test('behavior: a period that starts within a day is possible: somewhere it has begun', () => {
    const daily = readingOf({ route: 'any', frequency: 'daily', period: 20_261_123 })
    const stateAt = (time: string) => statusOf(daily)(at(time)).state
    expect([stateAt('2026-11-21T23:59Z'), stateAt('2026-11-22T00:00Z')]).toEqual(['unknown', 'current'])
  })

  test.each([
    ['weekly', 20_261_113, '2026-11-13'],
    ['daily', 20_261_113, '2026-11-13'],
    ['monthly', 202_602, '2026-02-28'],
    ['quarterly', 202_610, '2026-12-31'],
    ['annual', 2024, '2024-12-31'],
    ['hourly', 1_795_345_200, '2026-11-22T11:00:00Z'],
  ])('default: the end of a %s period', (frequency, period, end) => {
    expect(statusOf(readingOf({ route: 'any', frequency, period }))(at('2026-11-22')).period_end).toBe(end)
  })
})

const routes = fc.oneof(
  fc.constantFrom(...releaseRules.flatMap((rule) => rule.routes.map((each) => each.replace('*', 'x')))),
  fc.string(),
)
const hostile = fc.record({
  feed_id: fc.string(),
  route: routes,
  frequency: fc.oneof(fc.constantFrom(...frequencies), fc.string(), fc.constantFrom('toString', '__proto__')),
  description: fc.oneof(fc.string(), fc.constant('eia:value;;type=D'), fc.constant('eia:v;;__proto__=1')),
  period: fc.oneof(
    fc.constantFrom(20_261_113, 202_609, 2025, 1_795_345_200, 0, 1, 101, 99_991_231, 253_402_297_200),
    fc.integer({ min: 0, max: 99_991_231 }),
    fc.maxSafeNat(),
    fc.constantFrom(2 ** 53, 2 ** 64, 1e300),
  ),
  updated_at: fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(0, 2 ** 53, 2 ** 64)),
})
const moment = fc.integer({ min: 0, max: 8e12 })

describe('invalid data on chain', () => {
  test('behavior: it never throws, and its fields are consistent', () => {
    fc.assert(
      fc.property(hostile, moment, (reading, now) => {
        const status = statusOf(reading)(now)
        expect(feedStates).toContain(status.state)
        expect(status.age_ms).toBeGreaterThanOrEqual(0)
        expect(status.max_age_ms === null).toBe(status.state === 'unknown')
        expect([status.due_on === null, status.next_due_on === null]).toEqual([
          status.cadence === null,
          status.cadence === null,
        ])
        expect(status.due_at === null).toBe(status.next_due_at === null)
        expect(status.cadence?.is_assumed && status.due_at !== null).not.toBe(true)
        expect(status.due_at ?? Date.parse(status.due_on ?? '1970-01-01')).toBeLessThanOrEqual(now)
        expect(status.next_due_at ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now)
      }),
      { numRuns: 2_000 },
    )
  })

  test('behavior: a reading that stays the same only gets worse', () => {
    const order = ['current', 'due', 'late', 'stale']
    fc.assert(
      fc.property(hostile, fc.array(moment, { minLength: 2, maxLength: 8 }), (reading, moments) => {
        const status = statusOf(reading)
        const states = moments
          .toSorted((a, b) => a - b)
          .map((now) => order.indexOf(status(now).state))
          .filter((state) => state !== -1)
        expect(states).toEqual(states.toSorted((a, b) => a - b))
      }),
      { numRuns: 1_000 },
    )
  })
})
