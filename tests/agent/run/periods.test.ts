import { describe, expect, test } from 'bun:test'
import { outcomeFields } from '../../../src/agent/feedOutcome.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import { feedOf, rowOf } from './fakes.ts'
import { createPeriodBench as createBench, feed, november } from './periodBench.ts'

const id = feed.feed_id

describe('catch-up', () => {
  test('default: after seven missed releases, all of them, oldest first', async () => {
    const { run, publish, days, sentDays, asked } = createBench({ held: november(6) })
    publish(...november(13, 12, 11, 10, 9, 8, 7, 6, 5))
    expect(outcomeFields(await run())).toMatchObject({
      decision: 'new-period',
      period: 20261113,
      value: '13',
      caught_up: [20261107, 20261108, 20261109, 20261110, 20261111, 20261112],
      missing: 0,
      transaction_hash: '2'.padStart(64, '0'),
      transaction_hashes: ['1', '2'].map((hash) => hash.padStart(64, '0')),
      error: null,
    })
    expect(days()).toEqual([6, 7, 8, 9, 10, 11, 12, 13])
    expect(sentDays()).toEqual([
      [7, 8, 9, 10, 11],
      [12, 13],
    ])
    expect(asked).toEqual(['newest 2', 'since 20261106, most 101'])
  })

  test('default: no further request is sent if the newest period is the next, or known, or the first', async () => {
    const { run, publish, asked, days } = createBench({ held: november(6) })
    publish(...november(7, 6))
    await run()
    await run()
    const first = createBench({ held: [] })
    first.publish(...november(7, 6, 5))
    await first.run()
    expect([asked, days(), first.asked, first.days()]).toEqual([
      ['newest 2', 'newest 2'],
      [6, 7],
      ['newest 2'],
      [7],
    ])
  })

  test('behavior: over a weekend, no period is missing, and the newest shares its transaction as usual', async () => {
    const { run, publish, sentDays } = createBench({ held: november(13) })
    publish(...november(16, 13))
    expect(await run()).toMatchObject({ decision: 'new-period', caughtUp: [], leftOut: [] })
    expect(sentDays()).toEqual([[16]])
  })

  test('behavior: one by one if the contract takes one at a time', async () => {
    const { run, publish, sentDays } = createBench({
      held: november(6),
      prepared: { offersMany: false, paymentMotes: null },
    })
    publish(...november(9, 8, 7, 6))
    await run()
    expect(sentDays()).toEqual([[7], [8], [9]])
  })

  test('behavior: a long gap takes several cycles, which report the remaining periods', async () => {
    const { run, publish, days, asked } = createBench({ held: november(6) })
    publish(...november(11, 10, 9, 8, 7, 6))
    const outcomes = [await run({ catchUp: 2 }), await run({ catchUp: 2 }), await run({ catchUp: 2 })]
    expect(outcomes.map(({ result, caughtUp, missing }) => [result?.period, caughtUp, missing])).toEqual([
      [20261108, [20261107, 20261108], 3],
      [20261111, [20261109, 20261110], 0],
      [20261111, [], 0],
    ])
    expect(outcomes.map(({ decision }) => decision)).toEqual(['new-period', 'new-period', 'unchanged'])
    expect(days()).toEqual([6, 7, 8, 9, 10, 11])
    expect(asked.slice(0, 3)).toEqual(['newest 2', 'since 20261106, most 3', 'since 20261106, most 10000'])
  })

  test('behavior: if turned off, only the newest', async () => {
    const { run, publish, days } = createBench({ held: november(6) })
    publish(...november(9, 8, 7, 6))
    expect(await run({ catchUp: 0 })).toMatchObject({ caughtUp: [], missing: 0 })
    expect(days()).toEqual([6, 9])
  })

  test('behavior: a row that cannot be attested is skipped and reported, and does not block the newest', async () => {
    const { run, publish, days } = createBench({ held: november(6) })
    publish(...november(11, [10, null], [9, '-1'], [8, '1,5'], 7, 6))
    expect((await run()).leftOut).toEqual([
      { period: 20261108, reason: 'not_a_number' },
      { period: 20261109, reason: 'negative' },
      { period: 20261110, reason: 'withheld' },
    ])
    expect(days()).toEqual([6, 7, 11])
  })

  test('behavior: a release between the two requests is the newest', async () => {
    const { run, options, publish, days } = createBench({ held: november(6) })
    publish(...november(8, 7, 6))
    const listRowsSince: typeof options.eia.listRowsSince = (...asked) => {
      publish(...november(9, [8, '8.5'], 7, 6))
      return options.eia.listRowsSince(...asked)
    }
    expect(await run({ eia: { ...options.eia, listRowsSince } })).toMatchObject({
      result: { period: 20261109 },
      row: { value: '9' },
    })
    expect(days()).toEqual([6, 7, 8, 9])
  })

  test('error: a listing without the newest row comes from a lagging server: nothing is attested', async () => {
    const { run, options, publish, days } = createBench({ held: november(6) })
    publish(...november(9, 8, 7, 6))
    const listRowsSince = async () => ({ rows: november(7), isComplete: true })
    expect((await run({ eia: { ...options.eia, listRowsSince } })).error).toMatchObject({
      code: 'eia_rows_moved',
      retryable: true,
    })
    expect(days()).toEqual([6])
  })

  test('error: a step that fails: earlier steps are reported, and the next cycle resumes there', async () => {
    const { run, options, publish, days } = createBench({ held: november(6) })
    publish(...november(16, 15, [14, null], 13, 12, 11, 10, 9, [8, null], 7, 6))
    const attest: Outbox['attest'] = async (attestations, basis) => {
      if (attestations.some(({ period }) => period === 20261113)) throw new Error('no node')
      return options.outbox.attest(attestations, basis)
    }
    expect(await run({ outbox: { ...options.outbox, attest } })).toMatchObject({
      decision: null,
      caughtUp: [20261107, 20261109, 20261110, 20261111, 20261112],
      missing: 2,
      leftOut: [{ period: 20261108, reason: 'withheld' }],
      transactionHashes: ['1'.padStart(64, '0')],
      error: { message: 'no node' },
    })
    expect(await run()).toMatchObject({
      result: { period: 20261116 },
      caughtUp: [20261113, 20261115],
      leftOut: [{ period: 20261114, reason: 'withheld' }],
    })
    expect(days()).toEqual([6, 7, 9, 10, 11, 12, 13, 15, 16])
  })

  test('error: another agent attests meanwhile: nothing more is sent on the old basis', async () => {
    const { run, options, publish, chain, days } = createBench({ held: november(6) })
    publish(...november(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6))
    let calls = 0
    const attest: Outbox['attest'] = async (attestations, basis) => {
      const sent = await options.outbox.attest(attestations, basis)
      calls += 1
      if (calls === 1) chain.attest(id, { period: 20261112, amount: 1n })
      return sent
    }
    expect((await run({ outbox: { ...options.outbox, attest } })).error).toMatchObject({
      code: 'chain_moved',
    })
    expect([calls, days()]).toEqual([1, [6, 7, 8, 9, 10, 11, 12]])
  })

  test('behavior: a stop starts no further step', async () => {
    const { run, options, publish, days } = createBench({ held: november(6) })
    publish(...november(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6))
    const controller = new AbortController()
    const attest: Outbox['attest'] = async (attestations, basis) => {
      controller.abort(new Error('stopped'))
      return options.outbox.attest(attestations, basis)
    }
    const outcome = await run({ stop: controller.signal, outbox: { ...options.outbox, attest } })
    expect([outcome.error?.message, outcome.missing, days()]).toEqual(['stopped', 4, [6, 7, 8, 9, 10, 11]])
  })
})

describe('look-back', () => {
  const held = november(13, 12, 11, 10, 9)

  test('default: a revised period and the newest again, in one transaction', async () => {
    const { run, publish, sentDays } = createBench({ held })
    publish(...november(13, 12, [11, '11.5'], 10, 9))
    expect(await run({ lookBack: 3 })).toMatchObject({
      decision: 'unchanged',
      revised: [20261111],
      transactionHashes: ['1'.padStart(64, '0')],
    })
    expect(await run({ lookBack: 3 })).toMatchObject({ revised: [], transactionHashes: [] })
    expect(sentDays()).toEqual([[11, 13]])
  })

  test('default: off', async () => {
    const { run, publish, sentDays, asked } = createBench({ held })
    publish(...november(13, 12, [11, '11.5'], 10, 9))
    await run()
    expect([sentDays(), asked]).toEqual([[], ['newest 2']])
  })

  test('behavior: the value of the feed overrides the setting', async () => {
    const { run, publish, sentDays } = createBench({ held })
    publish(...november(13, [12, '12.5'], [11, '11.5'], 10, 9))
    await run({ lookBack: 3 }, { ...feed, look_back: 0 })
    await run({ lookBack: 0 }, { ...feed, look_back: 1 })
    expect(sentDays()).toEqual([[12, 13]])
  })

  test('behavior: a new period closes the revisions in its transaction', async () => {
    const { run, publish, sentDays } = createBench({ held })
    publish(...november(14, [13, '13.5'], [12, '12.5'], 11))
    expect(await run({ lookBack: 3 })).toMatchObject({
      decision: 'new-period',
      revised: [20261112, 20261113],
    })
    expect(sentDays()).toEqual([[12, 13, 14]])
  })

  test('behavior: a hole in its window is filled', async () => {
    const { run, publish, sentDays } = createBench({ held: november(13, 12, 9) })
    publish(...november(13, 12, 11, 10, 9))
    expect(await run({ lookBack: 3 })).toMatchObject({ caughtUp: [20261110, 20261111], revised: [] })
    expect(sentDays()).toEqual([[10, 11, 13]])
  })

  test('behavior: with catch-up turned off it still fills its window, later periods and first ones too', async () => {
    const { run, publish, days } = createBench({ held: november(6) })
    publish(...november(10, 9, 8, 7, 6))
    expect(await run({ catchUp: 0, lookBack: 2 })).toMatchObject({
      caughtUp: [20261108, 20261109],
      missing: 0,
    })
    expect(days()).toEqual([6, 8, 9, 10])
    const first = createBench({ held: [] })
    first.publish(...november(10, 9, 8, 7, 6))
    await first.run({ catchUp: 0, lookBack: 2 })
    expect(first.days()).toEqual([8, 9, 10])
  })

  test('behavior: if EIA is behind the chain, nothing is compared', async () => {
    const { run, publish, sentDays, asked } = createBench({ held })
    publish(...november([12, '12.5'], 11))
    expect((await run({ lookBack: 3 })).decision).toBe('older-than-chain')
    expect([sentDays(), asked]).toEqual([[], ['newest 2']])
  })

  test('behavior: together with catch-up, all in order', async () => {
    const { run, publish, sentDays, days } = createBench({ held: november(10, 9) })
    publish(...november(14, 13, 12, 11, [10, '10.5'], [9, '9.5'], 8))
    expect(await run({ lookBack: 6 })).toMatchObject({
      revised: [20261108, 20261109, 20261110],
      caughtUp: [20261111, 20261112, 20261113],
    })
    expect(sentDays()).toEqual([
      [8, 9, 10, 11, 12],
      [13, 14],
    ])
    expect(days().at(-1)).toBe(14)
  })

  test('behavior: rows that cannot have a value yet do not count, even of local hours', async () => {
    const local = feedOf('A', { frequency: 'local-hourly', look_back: 3 })
    const hours = (...from: (number | [hour: number, value: string | null])[]) =>
      november(...from).map((row) => ({ ...row, period: `2026-11-20T${row.period.slice(-2)}-05` }))
    const sentHours = (bench: ReturnType<typeof createBench>) =>
      bench.chain.historyOf(id).map(({ period }) => new Date((period - 5 * 3_600) * 1_000).getUTCHours())
    const next = createBench({ held: hours(6, 5, 4, 3), feed: local })
    next.publish(...hours(10, 9, 8, 7, [6, null], 5, 4, [3, '3.5'], 2))
    expect(await next.run()).toMatchObject({ decision: 'new-period', missing: 0 })
    const same = createBench({ held: hours(7, 6, 5, 4), feed: local })
    same.publish(...hours(10, 9, 8, 7, 6, 5, [4, '4.5'], 3))
    expect(await same.run()).toMatchObject({ decision: 'unchanged' })
    expect([sentHours(next), sentHours(same)]).toEqual([
      [3, 4, 5, 6, 3, 7],
      [4, 5, 6, 7, 4, 7],
    ])
  })

  describe('behavior: a revision that cannot be attested yet is not lost when several new periods come at once', () => {
    const batch = november(18, 17, 16)
    const older = november(12, 11, [10, '10.5'], [9, '9.5'])

    test.each([
      ['has its number again', november(13), [[10, 16, 17, 18]]],
      [
        'stays without a number',
        november([13, null]),
        [
          [10, 16],
          [17, 18],
        ],
      ],
      ['has another number', november([13, '13.5']), [[10, 13, 16, 17, 18]]],
    ])('the newest period %s', async (_, newest, sent) => {
      const { run, publish, sentDays } = createBench({ held })
      publish(...november([13, null]), ...older)
      const options = { lookBack: 3 }
      expect(await run(options)).toMatchObject({ decision: 'withheld', revised: [], error: null })
      publish(...batch, ...newest, ...older)
      // Nothing is remembered: an agent that was restarted does the same.
      expect(await run({ ...options, lastPrints: new Map() })).toMatchObject({
        decision: 'new-period',
        caughtUp: [20261116, 20261117],
      })
      expect(sentDays()).toEqual(sent)
      expect(await run(options)).toMatchObject({ revised: [], transactionHashes: [] })
    })

    test('the newest periods have no number for longer than look_back: it does not even wait', async () => {
      const { run, publish, sentDays } = createBench({ held })
      publish(...november([19, null], [18, null], [17, null], [16, null], 13), ...older)
      expect(await run({ lookBack: 3 })).toMatchObject({ decision: 'withheld', revised: [20261110] })
      expect(sentDays()).toEqual([[10, 13]])
    })

    test('EIA shows only older periods than the chain', async () => {
      const { run, publish, sentDays } = createBench({ held })
      publish(...older)
      expect(await run({ lookBack: 3 })).toMatchObject({ decision: 'older-than-chain', revised: [] })
      publish(...batch, ...november(13), ...older)
      await run({ lookBack: 3 })
      expect(sentDays()).toEqual([[10, 16, 17, 18]])
    })

    test.each([
      ['does not run for days', 100, [10, 16, 17, 18, 19]],
      ['does not run for days, and does not catch up', 0, [10, 17, 18, 19]],
    ])('the agent %s', async (_, catchUp, sent) => {
      const { run, publish, sentDays } = createBench({ held })
      publish(...november(19), ...batch, ...november(13), ...older)
      expect(await run({ catchUp, lookBack: 2 }, { ...feed, look_back: 2 })).toMatchObject({ revised: [] })
      expect(sentDays().flat()).toEqual(sent.slice(1))
      const other = createBench({ held })
      other.publish(...november(20, 19), ...batch, ...november(13), ...older)
      expect(await other.run({ catchUp, lookBack: 3 })).toMatchObject({ revised: [20261110] })
      expect(other.sentDays().flat()).toEqual([...sent, 20])
    })

    test('the number of new periods in a cycle stays that of the setting', async () => {
      const { run, publish, sentDays } = createBench({ held })
      publish(...november(19), ...batch, ...november(13), ...older)
      expect(await run({ catchUp: 1, lookBack: 1 })).toMatchObject({ caughtUp: [20261116], missing: 3 })
      expect(sentDays()).toEqual([[16]])
    })
  })

  test('behavior: the history is read once, then only new values', async () => {
    const { run, publish, chain } = createBench({ held })
    await run({ lookBack: 3 })
    expect(chain.valuesRead()).toBe(5)
    await run({ lookBack: 3 })
    expect(chain.valuesRead()).toBe(5)
    publish(...november(14, 13, 12, 11, 10, 9))
    await run({ lookBack: 3 })
    await run({ lookBack: 3 })
    // The new one, and one that tells that it is the same chain.
    expect(chain.valuesRead()).toBe(7)
  })

  test('behavior: of a long history the newest values only', async () => {
    const { run, chain, publish } = createBench({ held: [] })
    chain.attest(id, ...Array.from({ length: 400 }, (_, index) => ({ period: 20250000 + index, amount: 1n })))
    chain.attest(id, { period: 20261113, amount: 1n })
    publish(...november(13, 12))
    expect((await run({ lookBack: 1 })).caughtUp).toEqual([20261112])
    // 5 * 1 + 60, in steps of 20.
    expect(chain.valuesRead()).toBe(80)
  })

  test('behavior: the last of several values of a period counts, whatever the age of the others', async () => {
    const { run, chain, publish, sentDays } = createBench({ held: november(13, 12, 11) })
    const [first] = chain.historyOf(id)
    if (first === undefined) throw new Error('no history')
    chain.attest(id, { ...first, amount: 1n })
    chain.attest(id, ...Array.from({ length: 30 }, (_, index) => ({ period: 20250000 + index, amount: 1n })))
    chain.attest(id, first, ...november(13).map(() => ({ ...first, period: 20261113 })))
    publish(...november([13, '13.5'], 12, 11, 10))
    expect((await run({ lookBack: 2 })).revised).toEqual([])
    expect(sentDays()).toEqual([[13]])
  })

  test('behavior: another chain is not mistaken for the known one', async () => {
    const { run, chain, publish, options, days } = createBench({ held })
    await run({ lookBack: 3 })
    const history = chain.historyOf(id)
    chain.forget(id)
    const others = history.map((each) => ({ ...each, amount: 1n, timestamp: each.timestamp + 500 }))
    chain.attest(id, ...others, { period: 20261114, amount: 1n })
    publish(...november(15, 14, 13, 12, 11))
    expect((await run({ lookBack: 3, lastPrints: options.lastPrints })).revised).toEqual([
      20261111, 20261112, 20261113, 20261114,
    ])
    expect(days().slice(-4)).toEqual([12, 13, 14, 15])
  })

  test('behavior: without attest_many it is left aside, with a warning', async () => {
    const { run, publish, sentDays, warned } = createBench({
      held,
      prepared: { offersMany: false, paymentMotes: null },
    })
    publish(...november(13, [12, '12.5'], 11))
    await run({ lookBack: 3 })
    expect([sentDays(), warned.filter((each) => each.includes('attest_many'))]).toEqual([
      [],
      [expect.stringContaining('EIA.A: look_back is ignored')],
    ])
  })

  test('error: the chain moves while EIA is called: nothing is sent on the old basis', async () => {
    const { run, options, publish, chain, sentDays } = createBench({ held })
    publish(...november(13, [12, '12.5'], 11))
    const listNewestRows: typeof options.eia.listNewestRows = async (series, { length = 1 } = {}) => {
      if (length > 1) chain.attest(id, { period: 20261114, amount: 1n })
      return options.eia.listNewestRows(series, { length })
    }
    const outcome = await run({ lookBack: 3, eia: { ...options.eia, listNewestRows } })
    expect([{ ...outcome.error }, sentDays()]).toMatchObject([{ code: 'chain_moved', retryable: true }, []])
  })
})

describe('units', () => {
  test('error: another unit than the feed names: nothing is attested, past rows neither', async () => {
    const { run, publish, days } = createBench({ held: november(6) })
    publish(...november(9, 8, 7).map((row) => ({ ...row, statedUnit: '$/GAL' })))
    const outcome = await run({}, { ...feed, upstream_unit: '$/BBL' })
    expect([{ ...outcome.error }, days()]).toMatchObject([{ code: 'unit_changed', stated: '$/GAL' }, [6]])
  })

  test('error: another unit in a release between the two requests', async () => {
    const { run, options, publish, days } = createBench({ held: november(6) })
    publish(...november(8, 7, 6))
    const listRowsSince: typeof options.eia.listRowsSince = (...asked) => {
      publish(...november(9).map((row) => ({ ...row, statedUnit: '$/GAL' })), ...november(8, 7, 6))
      return options.eia.listRowsSince(...asked)
    }
    const config = { ...feed, upstream_unit: '$/BBL' }
    const { error } = await run({ eia: { ...options.eia, listRowsSince } }, config)
    expect([{ ...error }, days()]).toMatchObject([{ code: 'unit_changed' }, [6]])
  })

  test('behavior: a row between with another unit is left out', async () => {
    const { run, publish, days } = createBench({ held: november(6) })
    publish(...november(9), rowOf({ period: '2026-11-08', statedUnit: 'M$/BBL' }), ...november(7))
    const { leftOut } = await run({}, { ...feed, upstream_unit: '$/BBL' })
    expect([leftOut, days()]).toEqual([[{ period: 20261108, reason: 'unit_changed' }], [6, 7, 9]])
  })

  test('behavior: a feed without a unit is attested, with a warning that has the fix', async () => {
    const { run, publish, days, warned } = createBench({ held: [] })
    publish(...november(9))
    await run()
    expect([days(), warned.filter((each) => each.includes('upstream_unit, so'))]).toEqual([
      [9],
      [
        'EIA.A: the feed has no upstream_unit, so a change of EIA\'s unit would go unnoticed: "feeds check EIA.A" prints the unit to set',
      ],
    ])
    const named = createBench({ held: [] })
    named.publish(...november(9))
    await named.run({}, { ...feed, upstream_unit: '$/BBL' })
    const unitless = createBench({ held: [] })
    unitless.publish(rowOf({ unit: null, statedUnit: null }))
    await unitless.run()
    const ofUnits = [named, unitless].map((bench) =>
      bench.warned.filter((each) => each.includes('upstream_unit, so')),
    )
    expect(ofUnits).toEqual([[], []])
  })
})
