import { describe, expect, test } from 'bun:test'
import { type EiaRow, formatPeriod } from '@wattfeed/eia'
import fc from 'fast-check'
import { fitsBatch } from '../../../src/agent/plan/attestCall.ts'
import { attestRows } from '../../../src/agent/plan/attestRows.ts'
import { type ChainValue, decide } from '../../../src/agent/plan/decide.ts'
import { groupPast } from '../../../src/agent/plan/groupSteps.ts'
import { type Plan, planSteps, type StepsInput } from '../../../src/agent/plan/plan.ts'
import { feedOf, rowOf } from '../run/fakes.ts'

/** When 2026 is over. */
const NOW = Date.UTC(2027, 0, 1)

const feed = feedOf('A', { frequency: 'annual' })
const batch = { offersMany: true, paymentMotes: 10_000_000_000n }

const rowsOf = (values: Record<number, string | null>): EiaRow[] =>
  Object.entries(values)
    .map(([period, value]) => rowOf({ period, value }))
    .toReversed()

/** What the chain holds once a row of this value is attested. */
function printOf(period: number, value: string): ChainValue {
  const { amount, source_hash } = decide({
    row: rowOf({ period: `${period}`, value }),
    feed,
    latest: null,
    now: NOW,
  })
  if (amount === null) throw new Error('not attestable')
  return { period, amount, source_hash }
}

/** Plans with the newest of the rows, and with all others; the chain holds what `history` says, last last. */
function planOf(
  history: readonly ChainValue[],
  [newest, ...rows]: readonly EiaRow[],
  changes: Partial<StepsInput> = {},
): Plan {
  if (newest === undefined) throw new Error('no rows')
  const latest = history.at(-1) ?? null
  const config = changes.feed ?? feed
  const result = decide({ row: newest, feed: config, latest, now: NOW })
  const prints = new Map(history.map((each) => [each.period, each]))
  return planSteps({
    feed,
    latest,
    newest: { row: newest, result },
    rows,
    prints,
    gaps: [],
    maxPeriods: 100,
    maxSteps: null,
    batch,
    now: NOW,
    ...changes,
  })
}

const shown = ({ steps }: Plan) => steps.map((step) => step.map(({ period, role }) => `${period} ${role}`))

describe('attestRows', () => {
  test('default: oldest first, with the reasons for skipped rows', () => {
    const rows = [
      ...rowsOf({ 2019: '1', 2020: '2', 2021: null, 2022: '-3', 2023: 'NaN', 2024: '1e999', 2027: '5' }),
      rowOf({ period: '2025', statedUnit: '$/GAL' }),
    ]
    const { attestations, leftOut } = attestRows(rows, {
      feed: { ...feed, upstream_unit: '$/BBL' },
      now: NOW,
    })
    expect(attestations.map(({ period, amount }) => [period, amount])).toEqual([
      [2019, 100n],
      [2020, 200n],
    ])
    expect(leftOut).toEqual([
      { period: 2021, reason: 'withheld' },
      { period: 2022, reason: 'negative' },
      { period: 2023, reason: 'not_a_number' },
      { period: 2024, reason: 'scale' },
      { period: 2025, reason: 'unit_changed' },
      { period: 2027, reason: 'future-period' },
    ])
  })
})

describe('groupPast', () => {
  const past = attestRows(rowsOf({ 2010: '1', 2011: '2', 2012: '3', 2013: '4', 2014: '5' }), {
    feed,
    now: NOW,
  })
  const { attestations } = past
  const periodsOf = (groups: readonly (readonly { period: number }[])[] | null) =>
    groups?.map((group) => group.map(({ period }) => period))

  test('default: as many together as fit', () => {
    expect(periodsOf(groupPast(attestations, null, batch))).toEqual([[2010, 2011, 2012, 2013, 2014]])
    const four = { ...batch, paymentMotes: null }
    expect(periodsOf(groupPast(attestations, null, four))).toEqual([[2010, 2011, 2012, 2013], [2014]])
  })

  test('default: each group ends with the closing value', () => {
    const [closing] = attestRows(rowsOf({ 2025: '9' }), { feed, now: NOW }).attestations
    if (closing === undefined) throw new Error('none')
    expect(periodsOf(groupPast(attestations, closing, batch))).toEqual([
      [2010, 2011, 2012, 2013, 2025],
      [2014, 2025],
    ])
    expect(groupPast([], closing, batch)).toEqual([])
    expect(groupPast(attestations, closing, { ...batch, offersMany: false })).toBeNull()
    const long = { ...closing, feed_id: 'x'.repeat(400) }
    expect(groupPast(attestations, long, batch)).toBeNull()
  })
})

describe('planSteps', () => {
  const history = [printOf(2018, '1'), printOf(2019, '2'), printOf(2020, '3')]

  test('default: only the newest, if it is the next period', () => {
    const plan = planOf(history, rowsOf({ 2021: '4' }))
    expect([shown(plan), plan.missing, plan.leftOut]).toEqual([[['2021 newest']], 0, []])
  })

  test('default: no step if nothing is new', () => {
    expect(planOf(history, rowsOf({ 2018: '1', 2019: '2', 2020: '3' })).steps).toEqual([])
  })

  test('behavior: missing periods oldest first, the newest last', () => {
    const rows = rowsOf({ 2021: '4', 2022: '5', 2023: '6', 2024: '7', 2025: '8', 2026: '9' })
    expect(shown(planOf(history, rows))).toEqual([
      ['2021 caught-up', '2022 caught-up', '2023 caught-up', '2024 caught-up', '2025 caught-up'],
      ['2026 newest'],
    ])
  })

  test('behavior: the oldest periods of a longer gap, and the number of remaining ones', () => {
    const rows = rowsOf({ 2021: '4', 2022: null, 2023: '6', 2024: null, 2025: '8', 2026: '9' })
    const plan = planOf(history, rows, { maxPeriods: 2 })
    expect([shown(plan), plan.missing, plan.leftOut]).toEqual([
      [['2021 caught-up', '2023 caught-up']],
      2,
      // 2024 is decided on when a later period is attested.
      [{ period: 2022, reason: 'withheld' }],
    ])
    expect(plan.about).toMatchObject({ row: { period: '2023' }, result: { decision: 'new-period' } })
  })

  test('behavior: a newest row without a number does not delay the rows before it', () => {
    const plan = planOf(history, rowsOf({ 2021: null, 2022: '5', 2023: null, 2024: null }))
    expect([shown(plan), plan.about.result.decision]).toEqual([[['2022 caught-up']], 'withheld'])
    expect(plan.leftOut).toEqual([{ period: 2021, reason: 'withheld' }])
    expect(planOf(history, rowsOf({ 2021: null, 2022: null })).leftOut).toEqual([])
  })

  test('behavior: revised periods close with the newest, restated', () => {
    const rows = rowsOf({ 2018: '1', 2019: '2.5', 2020: '3' })
    const [step] = planOf(history, rows).steps
    expect(step?.map(({ period, amount, role }) => [period, amount, role])).toEqual([
      [2019, 250n, 'revised'],
      [2020, 300n, 'restated'],
    ])
  })

  test('behavior: a period that the chain does not have counts as revised', () => {
    expect(shown(planOf(history, rowsOf({ 2017: '9', 2018: '1', 2020: '3' })))).toEqual([
      ['2017 revised', '2020 restated'],
    ])
  })

  test('behavior: many of them end with the first new period if EIA has no number for the newest on chain', () => {
    const past = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [2010 + index, '7']))
    expect(shown(planOf(history, rowsOf({ ...past, 2020: 'w', 2021: '4', 2022: '5' })))).toEqual([
      ['2010 revised', '2011 revised', '2012 revised', '2013 revised', '2021 caught-up'],
      ['2014 revised', '2015 revised', '2021 restated'],
      ['2022 newest'],
    ])
    expect(shown(planOf(history, rowsOf({ ...past, 2020: 'w' })))).toEqual([])
  })

  test('behavior: the same amount from another source counts as revised', () => {
    expect(shown(planOf(history, rowsOf({ 2019: '2.00', 2020: '3' })))).toEqual([
      ['2019 revised', '2020 restated'],
    ])
  })

  test('behavior: an earlier period that EIA has withdrawn is not left out: the chain has it', () => {
    const plan = planOf(history, rowsOf({ 2018: null, 2019: 'w', 2020: '3', 2021: '4' }))
    expect([shown(plan), plan.leftOut]).toEqual([[['2021 newest']], []])
  })

  test('behavior: more than four: several steps, each closed; a new period closes the last', () => {
    const past = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [2010 + index, '7']))
    expect(shown(planOf(history, rowsOf({ ...past, 2020: '3' })))).toEqual([
      ['2010 revised', '2011 revised', '2012 revised', '2013 revised', '2020 restated'],
      ['2014 revised', '2015 revised', '2020 restated'],
    ])
    expect(shown(planOf(history, rowsOf({ ...past, 2020: '3', 2021: '4' })))).toEqual([
      ['2010 revised', '2011 revised', '2012 revised', '2013 revised', '2020 restated'],
      ['2014 revised', '2015 revised', '2021 newest'],
    ])
  })

  test('behavior: a revised newest value closes the earlier revisions, in the same transaction', () => {
    expect(shown(planOf(history, rowsOf({ 2019: '2.5', 2020: '3.5' })))).toEqual([
      ['2019 revised', '2020 newest'],
    ])
    expect(shown(planOf(history, rowsOf({ 2019: '2.5', 2020: '3.5', 2021: '4' })))).toEqual([
      ['2019 revised', '2020 revised', '2021 newest'],
    ])
  })

  test('behavior: an id that is too long for two values leaves revisions out, and not the newest', () => {
    const long = { ...feed, feed_id: 'x'.repeat(400) }
    expect(shown(planOf(history, rowsOf({ 2019: '2.5', 2020: '3', 2021: '4' }), { feed: long }))).toEqual([
      ['2021 newest'],
    ])
  })
})

/** Values of the years from 2000 on, as EIA may have them. */
const value = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 9 }).map(String) },
  { weight: 2, arbitrary: fc.constant('9'.repeat(70)) },
  { weight: 1, arbitrary: fc.constantFrom(null, '-1', 'NaN', 'w') },
)
const situation = fc
  .record({
    chain: fc.array(fc.option(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 2 })), {
      maxLength: 20,
    }),
    before: fc.array(fc.option(value, { nil: undefined }), { maxLength: 25 }),
    newest: fc.constantFrom('1', '2', '9'.repeat(70)),
    maxPeriods: fc.integer({ min: 1, max: 12 }),
    idLength: fc.integer({ min: 1, max: 150 }),
    paymentMotes: fc.constantFrom(null, 4_000_000_000n, 10_000_000_000n),
  })
  .map(({ chain, before, newest, ...rest }) => {
    const history = chain.flatMap((values, index) =>
      (values ?? []).map((each) => printOf(2000 + index, `${each}`)),
    )
    const entries = [...before, newest].flatMap((each, index) =>
      each === undefined ? [] : [[2000 + index, each]],
    )
    return { history, rows: rowsOf(Object.fromEntries(entries)), ...rest }
  })
  .filter(({ history, rows }) => (history.at(-1)?.period ?? 0) <= Number(rows[0]?.period))

describe('an executed plan', () => {
  test('default: the chain ends with EIA’s values, and its newest value is the newest period after every transaction', () => {
    fc.assert(
      fc.property(situation, ({ history, rows, maxPeriods, idLength, paymentMotes }) => {
        const options = { offersMany: true, paymentMotes }
        const config = { ...feed, feed_id: 'x'.repeat(idLength) }
        const chain = [...history]
        const plan = () => planOf(chain, rows, { feed: config, maxPeriods, batch: options })
        let isDone = false
        while (!isDone) {
          const { steps, missing } = plan()
          for (const step of steps) {
            expect(step.length === 1 || fitsBatch(step, options)).toBeTrue()
            const last = step.at(-1)
            for (const { period, amount, source_hash, role } of step) {
              const print = chain.findLast((each) => each.period === period)
              // Only what closes a transaction is said again.
              const isNew = print?.amount !== amount || print.source_hash !== source_hash
              if (!isNew) expect([period, step.length > 1]).toEqual([last?.period ?? 0, true])
              if (role === 'restated') expect(isNew).toBeFalse()
              chain.push({ period, amount, source_hash })
            }
            expect(chain.at(-1)?.period).toBe(Math.max(...chain.map(({ period }) => period)))
          }
          expect(missing === 0 || steps.length > 0).toBeTrue()
          isDone = missing === 0
        }
        for (const { period, amount, source_hash } of attestRows(rows, { feed: config, now: NOW })
          .attestations)
          expect(chain.findLast((each) => each.period === period)).toEqual({
            period,
            amount,
            source_hash,
          })
        expect(plan().steps).toEqual([])
        expect(formatPeriod('annual', chain.at(-1)?.period ?? 0)).toBe(rows[0]?.period ?? '')
      }),
      { numRuns: 300 },
    )
  })
})
