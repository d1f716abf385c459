import { describe, expect, test } from 'bun:test'
import { EiaDoubledPeriodError } from '@wattfeed/eia'
import { EiaTimeoutError } from '../../../packages/eia/src/eiaErrors.ts'
import { openLostPeriods } from '../../../src/agent/state/lostPeriods.ts'
import { stateOf } from '../../../src/agent/state/openState.ts'
import { createState } from '../../support/state.ts'
import { rowOf } from './fakes.ts'
import { createPeriodBench, feed, november } from './periodBench.ts'

/** Workdays of November 2026, without Tuesday the 3rd. */
const held = november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 4, 2)
/** The same with the 3rd, as EIA has them later. */
const whole = november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 4, 3, 2)
const oneByOne = { offersMany: false, paymentMotes: null }

describe('rows that EIA publishes late', () => {
  test('default: attested in one transaction that ends with the newest value again', async () => {
    const { run, publish, sentDays, asked } = createPeriodBench({ held })
    publish(...whole)
    expect(await run()).toMatchObject({
      decision: 'unchanged',
      caughtUp: [20261103],
      revised: [],
      missing: 0,
      gaps: [],
      error: null,
    })
    expect([sentDays(), asked]).toEqual([[[3, 18]], ['newest 2', 'since 20261102, most 10000']])
  })

  test('behavior: a gap until EIA has a number, and looked for until then', async () => {
    const { run, publish, sentDays, asked } = createPeriodBench({ held })
    const found = [await run()]
    publish(...november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 4, [3, null], 2))
    found.push(await run())
    publish(...whole)
    found.push(await run(), await run())
    expect(found.map(({ gaps, caughtUp }) => [gaps, caughtUp])).toEqual([
      [[20261103], []],
      [[20261103], []],
      [[], [20261103]],
      [[], []],
    ])
    expect(sentDays()).toEqual([[3, 18]])
    expect(asked.filter((each) => each.startsWith('since'))).toHaveLength(3)
  })

  test('behavior: a new period ends the transaction', async () => {
    const { run, publish, sentDays } = createPeriodBench({ held })
    publish(...november(19), ...whole)
    expect(await run()).toMatchObject({ decision: 'new-period', caughtUp: [20261103], gaps: [] })
    expect(sentDays()).toEqual([[3, 19]])
  })

  test('behavior: many of them take several transactions, each of which ends with the newest', async () => {
    const { run, publish, sentDays } = createPeriodBench({
      held: november(20, 19, 18, 17, 16, 5, 2),
    })
    publish(...november(20, 19, 18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 4, 3, 2))
    const [first, second] = [await run({ maxSteps: 1 }), await run()]
    expect([first.missing, first.gaps, second.missing, second.gaps]).toEqual([
      4,
      [20261110, 20261111, 20261112, 20261113],
      0,
      [],
    ])
    expect(sentDays()).toEqual([
      [3, 4, 6, 9, 20],
      [10, 11, 12, 13, 20],
    ])
  })

  test.each([
    ['removed the row of', 'older-than-chain', whole.slice(1)],
    ['removed the number of', 'withheld', november([18, 'W']).concat(whole.slice(1))],
    ['removed, and withholds the one before,', 'withheld', november([17, 'W']).concat(whole.slice(2))],
    [
      'removed the number of, and withholds the one after,',
      'withheld',
      november([19, 'W'], [18, 'W']).concat(whole.slice(1)),
    ],
  ] as const)('behavior: wait while EIA has %s the newest period on chain', async (_, decision, rows) => {
    const { run, publish, sentDays } = createPeriodBench({ held })
    publish(...rows)
    expect([await run(), await run({ lookBack: 12 })]).toMatchObject([
      { decision, caughtUp: [], missing: 0, gaps: [20261103], error: null },
      { decision, caughtUp: [], missing: 0, gaps: [20261103], error: null },
    ])
    expect(sentDays()).toEqual([])
    publish(...november(19), ...whole)
    await run()
    expect(sentDays()).toEqual([[3, 19]])
  })

  test('behavior: end with a new period if EIA has removed the number of the one before', async () => {
    const { run, publish, sentDays } = createPeriodBench({ held })
    publish(...november(19, [18, 'W']), ...whole.slice(1))
    expect(await run()).toMatchObject({ decision: 'new-period', caughtUp: [20261103], gaps: [] })
    expect(sentDays()).toEqual([[3, 19]])
  })

  test('behavior: end with the number that EIA has now, below a row without a number', async () => {
    const { run, publish, sentDays, chain } = createPeriodBench({ held })
    publish(...november([19, 'W'], [18, '18.5']), ...whole.slice(1))
    expect(await run()).toMatchObject({ decision: 'withheld', caughtUp: [20261103], revised: [20261118] })
    expect([sentDays(), chain.historyOf(feed.feed_id).at(-1)?.amount]).toEqual([[[3, 18]], 1_850n])
  })

  test('behavior: found before many values that repeat the newest one', async () => {
    const { run, publish, sentDays, chain } = createPeriodBench({ held })
    const newest = chain.historyOf(feed.feed_id).at(-1)
    if (newest === undefined) throw new Error('the chain holds no value')
    const { timestamp: _, ...value } = newest
    for (let count = 0; count < 100; count++) chain.attest(feed.feed_id, value)
    publish(...whole)
    expect(await run()).toMatchObject({ caughtUp: [20261103], gaps: [] })
    expect(sentDays()).toEqual([[3, 18]])
  })

  test('behavior: together with revisions of a look-back that reaches them, each period once', async () => {
    const { run, publish, sentDays } = createPeriodBench({ held })
    publish(...november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, [4, '4.5'], 3, 2))
    expect(await run({ lookBack: 12 })).toMatchObject({ caughtUp: [20261103], revised: [20261104] })
    expect(sentDays()).toEqual([[3, 4, 18]])
  })

  test('behavior: only reported if the contract takes one value at a time, or catch-up is turned off', async () => {
    const single = createPeriodBench({ held, prepared: oneByOne })
    const off = createPeriodBench({ held })
    for (const { publish } of [single, off]) publish(...whole)
    expect([(await single.run()).gaps, (await off.run({ catchUp: 0 })).gaps]).toEqual([
      [20261103],
      [20261103],
    ])
    expect([single.sentDays(), single.asked, off.sentDays(), off.asked]).toEqual([
      [],
      ['newest 2'],
      [],
      ['newest 2'],
    ])
  })

  test('behavior: at most as many as a cycle catches up, the oldest first', async () => {
    const { run, publish, sentDays } = createPeriodBench({ held: november(18, 17, 16, 5, 4, 3, 2) })
    publish(...november(18, 17, 16, 12, 10, 9, 5, 4, 3, 2))
    await run({ catchUp: 2 })
    expect(sentDays()).toEqual([[9, 10, 18]])
  })

  test('behavior: a row without a number does not count as one that a cycle catches up', async () => {
    const { run, publish, sentDays } = createPeriodBench({
      held: november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 2),
    })
    publish(...november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 4, [3, null], 2))
    expect(await run({ catchUp: 1 })).toMatchObject({ caughtUp: [20261104], gaps: [20261103] })
    expect(sentDays()).toEqual([[4, 18]])
  })

  test('behavior: attested beside different rows of a period that the chain has', async () => {
    const { run, publish, sentDays, warned } = createPeriodBench({ held })
    publish(...november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, [5, '5.5'], 4, 3, 2))
    expect(await run()).toMatchObject({ caughtUp: [20261103], gaps: [] })
    expect([sentDays(), warned.filter((each) => each.includes('2026-11-05'))]).toEqual([[[3, 18]], []])
  })

  test('error: different rows of a period that the chain lacks are not attested, others are', async () => {
    const { run, publish, sentDays, warned } = createPeriodBench({
      held: november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 2),
    })
    publish(...november(18, 17, 16, 13, 12, 11, 10, 9, 6, 5, 4, 3, [3, '3.5'], 2))
    expect(await run()).toMatchObject({ caughtUp: [20261104], gaps: [20261103] })
    expect([sentDays(), warned]).toEqual([
      [[4, 18]],
      expect.arrayContaining([expect.stringContaining('different rows for 2026-11-03')]),
    ])
  })

  test('error: faults of old rows do not stop new ones', async () => {
    const { run, publish, options, days, warned } = createPeriodBench({ held })
    publish(...november(19), ...whole)
    const failing = (error: Error): Partial<typeof options> => ({
      eia: { ...options.eia, listRowsSince: () => Promise.reject(error) },
    })
    const timeout = new EiaTimeoutError({ route: 'petroleum/pri/spt', status: null, timeoutMs: 1 })
    expect(await run(failing(timeout))).toMatchObject({
      decision: 'new-period',
      gaps: [20261103],
      error: null,
    })
    const ofGaps = () => warned.filter((each) => each.includes('cannot request the periods'))
    expect([days().at(-1), ofGaps()]).toEqual([19, []])
    await run(
      failing(new EiaDoubledPeriodError({ route: 'petroleum/pri/spt', status: 200, period: '2026-11-05' })),
    )
    expect(ofGaps()).toEqual([expect.stringContaining('different rows for 2026-11-05')])
  })

  test('error: a bug or a stop is reported as itself', async () => {
    const { run, publish, options } = createPeriodBench({ held })
    publish(...whole)
    const listRowsSince = () => Promise.reject(new Error('stopped'))
    expect((await run({ eia: { ...options.eia, listRowsSince } })).error?.message).toBe('stopped')
  })
})

const destination = { chainName: 'casper-net-1', contract: 'cd'.repeat(32), account: 'account-hash-a' }

describe('a row that EIA publishes when its period is no longer requested', () => {
  test('default: lost, and reported until the chain has it', async () => {
    using state = createState()
    const lost: (readonly number[])[] = []
    const lostPeriods = openLostPeriods(stateOf(state.file, destination), { warn: () => {} }, (event) => {
      if (event.event === 'lost') lost.push(event.lost, event.added)
    })
    const { run, publish, chain } = createPeriodBench({ held })
    await run({ lostPeriods })
    const days = Array.from({ length: 100 }, (_, day) => new Date(Date.UTC(2026, 10, 19 + day)))
    const later = days
      .map((day) => rowOf({ period: day.toISOString().slice(0, 10), value: '7' }))
      .toReversed()
    publish(...later, ...held)
    const now = () => Date.UTC(2027, 2, 1)
    await run({ lostPeriods, now })
    // EIA has the row now, and the chain lacks it.
    publish(...later, ...whole)
    expect(await run({ lostPeriods, now })).toMatchObject({ gaps: [], caughtUp: [] })
    const [latest] = chain.historyOf(feed.feed_id).slice(-1)
    if (latest === undefined) throw new Error('no value')
    const { timestamp: _, ...value } = latest
    chain.attest(feed.feed_id, { ...value, period: 20261103 })
    chain.attest(feed.feed_id, value)
    await run({ lostPeriods, now })
    expect(lost).toEqual([[], [], [], [], [20261103], [20261103], [], []])
  })
})

describe('a row that EIA publishes after a much later one', () => {
  test('default: lost, because it is too old when it appears', async () => {
    using state = createState()
    const lost: (readonly number[])[] = []
    const lostPeriods = openLostPeriods(stateOf(state.file, destination), { warn: () => {} }, (event) => {
      if (event.event === 'lost') lost.push(event.lost)
    })
    const { run, publish } = createPeriodBench({ held: whole })
    await run({ lostPeriods })
    publish(rowOf({ period: '2027-01-22', value: '7' }), ...whole)
    const now = () => Date.UTC(2027, 2, 1)
    await run({ lostPeriods, now })
    publish(rowOf({ period: '2027-01-22', value: '7' }), ...november(20, 19), ...whole)
    await run({ lostPeriods, now })
    // The window of 60 periods before 22 January starts on 23 November. EIA has no values of weekends.
    expect(lost).toEqual([[], [], [20261119, 20261120]])
  })
})

describe('a feed without values', () => {
  test('default: starts with the newest row that has a number', async () => {
    const { run, publish, sentDays, asked } = createPeriodBench({ held: [] })
    publish(...november([18, null], [17, 'w'], 16, 13, 12))
    expect(await run()).toMatchObject({ decision: 'withheld', caughtUp: [20261116], missing: 0 })
    expect([sentDays(), asked]).toEqual([[[16]], ['newest 2', 'newest 100']])
    publish(...november([18, '18'], [17, 'w'], 16, 13, 12))
    expect(await run()).toMatchObject({ decision: 'new-period', result: { period: 20261118 } })
    expect(sentDays()).toEqual([[16], [18]])
  })

  test('behavior: also with catch-up turned off, and once with a look-back', async () => {
    const off = createPeriodBench({ held: [] })
    off.publish(...november([18, null], 17, 16))
    await off.run({ catchUp: 0 })
    const back = createPeriodBench({ held: [] })
    back.publish(...november([18, null], 17, 16))
    await back.run({ lookBack: 1 })
    expect([off.sentDays(), back.sentDays()]).toEqual([[[17]], [[17]]])
  })

  test('behavior: waits if no row has a number', async () => {
    const { run, publish, sentDays } = createPeriodBench({ held: [] })
    publish(...november([18, null], [17, null]))
    expect(await run()).toMatchObject({ decision: 'withheld', caughtUp: [], error: null })
    expect(sentDays()).toEqual([])
  })
})
