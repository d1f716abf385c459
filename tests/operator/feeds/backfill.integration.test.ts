import { describe, expect, test } from 'bun:test'
import { startDevnet } from '@wattfeed/casper-devnet'
import { answerWith } from '@wattfeed/eia/testing/eiaServer'
import { errorOf } from '@wattfeed/testing/errorOf'
import fc from 'fast-check'
import type { OutboxStep } from '../../../src/agent/events.ts'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { runAgent } from '../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { FeedBackfillingError } from '../../../src/agent/state/feedPending.ts'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'
import { LaggingValueError } from '../../../src/agent/state/settledBlocks.ts'
import { backfill } from '../../../src/operator/feeds/backfill/backfill.ts'
import { wattfeed } from '../../support/binary.ts'
import { ageState } from '../../support/state.ts'
import { type BackfillBench, createBackfillBench, feed, january, otherFeed } from './support/backfillBench.ts'

const id = feed.feed_id

/** Values from one day to another; each value is its day's number. */
const days = (from: number, to: number): Record<number, string> =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, `${from + index}`]))

/** The history of such days. */
const shown = (...of: number[]): string[] => of.map((day) => `${day} ${day}000000`)
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const listener = { warn: () => {}, progress: () => {}, milestone: () => {} }

/** Ends the command at a step, counted from 1, and leaves the state of a crash. */
class Crash extends Error {}
function crashAt(step: number): (step: OutboxStep) => void {
  let count = 0
  return () => {
    count += 1
    if (count === step) throw new Crash()
  }
}

/** Runs the agent once for both feeds, in the bench's folder. */
async function runAgentOnce({ settings, platform }: BackfillBench): Promise<Record<string, string | null>> {
  const outcomes: FeedOutcome[] = []
  const never = new AbortController().signal
  const ignore = () => {}
  await runAgent({
    settings,
    feeds: [feed, otherFeed],
    intervals: defaultIntervals,
    isOnce: true,
    isDryRun: false,
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: createAgentMetrics(),
    platform,
    onEvent: (event) => void (event.event === 'outcome' && outcomes.push(event.outcome)),
    stop: never,
    abandon: never,
  })
  return Object.fromEntries(
    outcomes.map(({ feedId, decision, error }) => [
      feedId,
      decision ?? (error && 'code' in error ? String(error.code) : null),
    ]),
  )
}

describe('a feed without values', () => {
  test('default: its past, oldest first, as many in a transaction as fit; the effect on readers is reported before, the cost after', async () => {
    await using bench = await createBackfillBench()
    bench.publish({ 3: '3', 1: '1', 2: 'w', 4: '-4', 5: '5', 6: '6', 7: '7' })
    const { report, text, exitCode } = await bench.run(january)
    expect(await bench.history()).toEqual(shown(1, 3, 5, 6, 7))
    expect([exitCode, report]).toEqual([
      0,
      {
        command: 'backfill',
        chain_name: bench.devnet.chainName,
        feed_id: id,
        is_dry_run: false,
        periods: 5,
        from: '2026-01-01',
        to: '2026-01-07',
        attested: 5,
        transactions: 2,
        held: 0,
        left_out: [
          { period: 20260102, reason: 'withheld' },
          { period: 20260104, reason: 'negative' },
        ],
        estimated_motes: '5842500000',
        charged_motes: '5579662015',
        error: null,
      },
    ])
    expect(bench.said.milestones).toEqual([
      `${id}: 5 periods, 2026-01-01 to 2026-01-07, in 2 transactions, one after the other; costs 5.8425 CSPR at most, at a gas price of 1`,
      'until it ends, readers see old periods as the newest value',
      'a running agent skips the feed meanwhile; after an interruption, the same command resumes',
    ])
    expect(bench.said.progress).toContain(`${id}: 4 of 5 periods, up to 2026-01-06; 4.122710333 CSPR so far`)
    expect(text.split('\n')).toEqual([
      `${id}: attested 5 periods of 2026-01-01 to 2026-01-07 in 2 transactions`,
      `${id}: left out 20260102 (withheld), 20260104 (negative)`,
      'paid 5.579662015 CSPR',
    ])
  })

  test("behavior: an earlier run's transaction is no part of the cost", async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 7))
    const crash = ({ step }: OutboxStep) => {
      if (step === 'accepted') throw new Crash()
    }
    await bench.run(january, { onStep: crash }).catch(() => {})
    const { report, text } = await bench.run(january)
    expect([report.periods, report.transactions, await bench.history()]).toEqual([
      3,
      1,
      shown(...range(1, 7)),
    ])
    expect(BigInt(report.charged_motes)).toBeLessThanOrEqual(BigInt(report.estimated_motes))
    expect(bench.said.milestones).toContainEqual(
      expect.stringMatching(/: a transaction of an earlier run was executed, for 4\.1\d+ CSPR$/),
    )
    expect(text).toContain('attested 3 periods')
  })

  test('default: without an end, up to the newest', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 2))
    const { report } = await bench.run({ from: '2026-01-02' })
    const periods = (await bench.client.getValueHistory(id)).map(({ period }) => period)
    expect([periods[0], periods.length, periods]).toEqual([20260102, report.attested, periods.toSorted()])
    expect(periods.at(-1)).toBeGreaterThan(20261101)
    expect(await runAgentOnce(bench)).toEqual({ [id]: 'unchanged', [otherFeed.feed_id]: 'new-period' })
  })

  test('behavior: every ten seconds a line even if there is no terminal', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 16))
    let now = Date.now()
    const platform = { ...bench.platform, now: () => now }
    // A block takes eight seconds.
    const onStep = ({ step }: OutboxStep) => {
      if (step === 'accepted') now += 8_000
    }
    await bench.run(january, { platform, onStep })
    expect(bench.said.milestones.slice(3).map((line) => line.split(';')[0])).toEqual([
      `${id}: 8 of 16 periods, up to 2026-01-08`,
      `${id}: 16 of 16 periods, up to 2026-01-16`,
    ])
  })

  test('behavior: a dry run reports the same, needs no key and sends nothing', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 5))
    const { ATTESTER_KEY_PATH: _, ...environment } = bench.environment
    const settings = readAgentSettings(environment, { writes: false, fetches: true })
    const { report, text } = await backfill(settings, id, { ...january, dryRun: true }, listener, bench)
    expect(report).toMatchObject({ is_dry_run: true, periods: 5, transactions: 2, attested: 0 })
    expect(text).toBe(
      `${id}: would attest 5 periods of 2026-01-01 to 2026-01-05 in 2 transactions\nnothing was sent`,
    )
    expect([await bench.history(), bench.pending()]).toEqual([[], []])
  })

  test('behavior: a range that EIA has nothing of is not an error', async () => {
    await using bench = await createBackfillBench()
    expect((await bench.run(january)).text).toContain('EIA has no period in the range that can be attested')
    expect(bench.said.milestones).toEqual([])
  })
})

describe('interrupted', () => {
  test('behavior: ended after each of its steps and started again, it continues with the next period, nothing doubled', async () => {
    for (let step = 1; ; step++) {
      await using bench = await createBackfillBench()
      bench.publish(days(1, 6))
      const ended = await bench.run(january, { onStep: crashAt(step) }).then(
        () => false,
        (error) => error instanceof Crash,
      )
      const before = (await bench.history()).length
      const { report, exitCode } = await bench.run(january)
      expect([step, await bench.history(), bench.pending()]).toEqual([step, shown(...range(1, 6)), []])
      expect([exitCode, report.held >= before]).toEqual([0, true])
      if (!ended) {
        expect([step, report.periods]).toEqual([13, 0])
        break
      }
    }
  })

  test('default: with any rows of EIA and any number of interruptions, the history is EIA’s rows, in order, each once', async () => {
    const value = fc.oneof({ weight: 5, arbitrary: fc.nat(99).map(String) }, fc.constantFrom('w', '-1', null))
    const rows = fc.dictionary(fc.integer({ min: 1, max: 28 }).map(String), value)
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }),
        async (values, ends) => {
          await using bench = await createBackfillBench()
          bench.publish(values)
          for (const step of ends) await bench.run(january, { onStep: crashAt(step) }).catch(() => {})
          await bench.run(january)
          const days = Object.keys(values).sort((a, b) => Number(a) - Number(b))
          expect(await bench.history()).toEqual(
            days.flatMap((day) =>
              values[day] == null || /[w-]/.test(values[day])
                ? []
                : `${day} ${Number(values[day]) * 1_000_000}`,
            ),
          )
        },
      ),
      { numRuns: 15 },
    )
  })

  /** A bench whose node rejects this number of transactions, from the second on: the gas price is too high. */
  async function createRefusingBench(refusals: number): Promise<BackfillBench> {
    let left = refusals
    let taken = 0
    const bench = await createBackfillBench({
      between: (answer) => (method, params) => {
        if (method !== 'account_put_transaction' || taken++ === 0 || left === 0) return answer(method, params)
        left -= 1
        const data = 'gas price tolerance too low'
        return { error: { code: -32016, message: 'Invalid transaction', data } }
      },
    })
    bench.publish(days(1, 9))
    return bench
  }

  test('behavior: a node or EIA that fails for a while does not end it', async () => {
    await using bench = await createRefusingBench(1)
    let waits = 0
    const platform = {
      ...bench.platform,
      async wait(ms: number) {
        if (ms === 15_000 && waits++ === 0) bench.upstream.fail(answerWith('', { status: 503 }))
      },
    }
    const { exitCode, report } = await bench.run(january, { platform })
    expect(bench.said.milestones.slice(3)).toEqual([
      expect.stringMatching(/gas price.*; retrying in 15 s$/),
      expect.stringMatching(/got 503.*; retrying in 15 s$/),
    ])
    expect([exitCode, report.attested, report.error]).toEqual([0, 9, null])
    expect([waits, await bench.history()]).toEqual([2, shown(...range(1, 9))])
  })

  test('behavior: a fast clock does not matter, even if only EIA sends a Date', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 9))
    const platform = { ...bench.platform, now: () => Date.now() + 6 * 3_600_000 }
    const { exitCode, report } = await bench.run(january, { platform })
    expect([exitCode, report]).toMatchObject([0, { attested: 9, error: null }])
  })

  test('error: a rejection by every node ends it, and nothing is paid', async () => {
    await using bench = await createBackfillBench({
      between: (answer) => (method, params) =>
        method === 'account_put_transaction'
          ? { error: { code: -32016, message: 'Invalid transaction', data: 'gas price tolerance too low' } }
          : answer(method, params),
    })
    bench.publish(days(1, 9))
    const { exitCode, report } = await bench.run(january)
    expect([exitCode, report]).toMatchObject([2, { attested: 0, transactions: 0, charged_motes: '0' }])
    expect(bench.pending()).toEqual([])
  })

  test('behavior: a transaction that only the next attempt settles still counts', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 9))
    let failures = 0
    const onStep = ({ step }: OutboxStep) => {
      if (step === 'settled' && failures++ === 0)
        throw new LaggingValueError({ feedId: id, settledHeight: 1, height: 0 })
    }
    const { exitCode, report } = await bench.run(january, { onStep })
    expect(bench.said.milestones.filter((line) => line.includes('retrying'))).toHaveLength(1)
    expect([exitCode, report.attested, report.transactions, report.error]).toEqual([0, 9, 3, null])
    expect(await bench.history()).toEqual(shown(...range(1, 9)))
  })

  test('error: a node that stays broken ends it with what was done, and the same command continues', async () => {
    await using bench = await createRefusingBench(5)
    const { exitCode, report, text } = await bench.run(january)
    expect([exitCode, report]).toMatchObject([2, { attested: 4, error: { code: 'transaction_refused' } }])
    expect(text.split('\n').slice(1)).toEqual([
      `${id}: 5 still missing`,
      expect.stringContaining('stopped: '),
      'the same command resumes',
      'paid 4.122710333 CSPR',
    ])
    expect((await bench.run(january)).report).toMatchObject({ attested: 5, held: 4 })
    expect(await bench.history()).toEqual(shown(...range(1, 9)))
  })

  test('behavior: SIGTERM ends the program, which names the transaction in flight; the next run follows it', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 9))
    const put = Promise.withResolvers<void>()
    let isSilent = true
    await using node = await startDevnet({
      async call(method, params) {
        if (method === 'account_put_transaction' && isSilent) {
          put.resolve()
          await new Promise(() => {})
        }
        return bench.devnet.call(method, params)
      },
    })
    const args = ['backfill', id, '--from', '2026-01-01', '--to', '2026-01-31', '--json']
    const child = Bun.spawn([...wattfeed('feeds'), ...args], {
      env: { PATH: process.env.PATH ?? '', ...bench.environment, CASPER_RPC_URL: node.url },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    await put.promise
    child.kill('SIGTERM')
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([143, { error: { code: 'stopped' } }])
    expect(stderr).toMatch(/the same command resumes(.|\n)*transaction [0-9a-f]{64} may be in flight/)
    isSilent = false
    const [hash] = bench.pending()
    await bench.run(january)
    expect([hash?.length, bench.pending()]).toEqual([64, []])
    expect(await bench.history()).toEqual(shown(...range(1, 9)))
  })
})

describe('beside an agent', () => {
  test('behavior: the agent skips the feed meanwhile, attests the others, and resumes it afterwards', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 9))
    const meanwhile: unknown[] = []
    await bench.run(january, {
      async onStep({ step }) {
        if (step === 'removed') meanwhile.push(await runAgentOnce(bench))
      },
    })
    const other = otherFeed.feed_id
    expect(meanwhile).toEqual([
      { [id]: 'backfilling', [other]: 'new-period' },
      { [id]: 'backfilling', [other]: 'unchanged' },
      { [id]: 'backfilling', [other]: 'unchanged' },
    ])
    expect(await bench.history()).toEqual(shown(...range(1, 9)))
    expect(await runAgentOnce(bench)).toEqual({ [id]: 'new-period', [other]: 'unchanged' })
  })

  test('behavior: the feed is locked from before the request to EIA until the end, even between transactions', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 9))
    using file = openState(bench.settings.agentStateDir, { purpose: 'agent' })
    const others = createAttestationStore(stateOf(file, bench.destination))
    const seen = new Map<string, string>()
    const look = (when: string): void => {
      try {
        others.assertFree(id)
        seen.set(when, 'free')
      } catch (error) {
        seen.set(when, error instanceof FeedBackfillingError ? error.code : String(error))
      }
    }
    const platform = {
      ...bench.platform,
      fetch(url: string, init: RequestInit) {
        if (url.startsWith(bench.upstream.url)) look('asks EIA')
        return bench.platform.fetch(url, init)
      },
    }
    await backfill(
      bench.settings,
      id,
      january,
      { ...listener, progress: look, milestone: look },
      { platform },
    )
    look('afterwards')
    expect(seen.size).toBeGreaterThan(10)
    expect([...seen].filter(([, state]) => state !== 'backfilling')).toEqual([['afterwards', 'free']])
  })

  test('error: a second one of the same feed is rejected, and sends nothing', async () => {
    await using bench = await createBackfillBench()
    bench.publish(days(1, 5))
    const errors: unknown[] = []
    await bench.run(january, {
      async onStep({ step }) {
        if (step === 'checked') errors.push((await errorOf(bench.run(january))).code)
      },
    })
    expect([errors, await bench.history()]).toEqual([['backfilling', 'backfilling'], shown(...range(1, 5))])
  })

  describe('another agent, of another folder, attests later periods meanwhile', () => {
    async function runBeside(bench: BackfillBench, catchUp: number) {
      const settings = { ...bench.settings, agentStateDir: `${bench.folder.path}/elsewhere`, catchUp }
      ageState(settings.agentStateDir)
      let runs = 0
      bench.publish(days(1, 9))
      return bench.run(january, {
        async onStep({ step }) {
          if (step === 'removed' && runs++ === 0) await runAgentOnce({ ...bench, settings })
        },
      })
    }

    test('behavior: all of them: nothing to do', async () => {
      await using bench = await createBackfillBench()
      const { exitCode, report, text } = await runBeside(bench, 100)
      expect([exitCode, report.attested, report.transactions, report.error]).toEqual([0, 9, 1, null])
      expect(text).not.toContain('missing')
      expect((await bench.history()).slice(0, 9)).toEqual(shown(...range(1, 9)))
    })

    test('error: the newest: earlier periods are rejected', async () => {
      await using bench = await createBackfillBench()
      const { exitCode, report } = await runBeside(bench, 0)
      expect([exitCode, report.attested, report.error?.code]).toEqual([2, 4, 'backfill'])
      expect(bench.said.milestones.at(-1)).toContain('another agent attests it')
      expect((await bench.history()).length).toBe(5)
    })
  })
})

describe('a feed with values', () => {
  /** A bench whose feed has the values of several days. */
  async function createHeldBench(held: readonly [from: number, to: number]): Promise<BackfillBench> {
    const bench = await createBackfillBench()
    bench.publish(days(...held))
    await bench.run(january)
    bench.said.milestones.length = 0
    return bench
  }

  test('error: rejected if the chain lacks an earlier period, and nothing is sent', async () => {
    await using bench = await createHeldBench([9, 9])
    bench.publish(days(1, 9))
    const error = await errorOf(bench.run(january))
    expect(error).toMatchObject({ code: 'backfill', reason: 'has_values', retryable: false })
    expect(error.message).toContain('newest value is of 2026-01-09')
    expect(error.message).toContain('--and-restate')
    expect([await bench.history(), bench.said.milestones]).toEqual([shown(9), []])
    // The command did not even read the history.
    expect(bench.said.progress.filter((line) => line.includes('values on chain read'))).toEqual([])
  })

  test('error: rejected even if the history is long enough to have the period, but lacks it', async () => {
    await using bench = await createHeldBench([1, 9])
    bench.upstream.setRow(feed, { period: '2025-12-31', value: '31' })
    const error = await errorOf(bench.run({ ...january, from: '2025-12-31' }))
    expect(error).toMatchObject({ code: 'backfill', reason: 'has_values' })
  })

  test('default: with --and-restate each transaction ends with the newest value, then come later periods', async () => {
    await using bench = await createHeldBench([9, 9])
    bench.publish(days(1, 12))
    const newest: (number | undefined)[] = []
    const { report } = await bench.run(
      { ...january, andRestate: true },
      {
        async onStep({ step }) {
          if (step === 'removed') newest.push((await bench.client.getValue(id))?.period)
        },
      },
    )
    expect(newest).toEqual([20260109, 20260109, 20260109, 20260112])
    expect(await bench.history()).toEqual(shown(9, 1, 2, 3, 9, 4, 5, 6, 9, 7, 8, 9, 10, 11, 12))
    expect(report).toMatchObject({ periods: 11, attested: 11, transactions: 4, held: 1 })
    expect(bench.said.milestones[1]).toBe(
      'each transaction ends with the newest value again, of 2026-01-09: readers see it throughout',
    )
    expect((await bench.run({ ...january, andRestate: true })).text).toBe(
      `${id}: nothing to do: all 12 periods are already on chain\npaid 0 CSPR`,
    )
  })

  test('behavior: with --and-restate, ended after any step and started again: nothing doubled but the newest, which is right throughout', async () => {
    for (const step of range(1, 8)) {
      await using bench = await createHeldBench([6, 6])
      bench.publish(days(1, 6))
      const options = { ...january, andRestate: true }
      await bench.run(options, { onStep: crashAt(step) }).catch(() => {})
      expect((await bench.client.getValue(id))?.period).toBe(20260106)
      await bench.run(options)
      const history = await bench.history()
      expect(history.filter((each) => each !== '6 6000000')).toEqual(shown(...range(1, 5)))
      expect([history.length, history.at(-1), bench.pending()]).toEqual([8, '6 6000000', []])
    }
  })

  test('behavior: if only later periods are missing it continues', async () => {
    await using bench = await createHeldBench([1, 4])
    bench.publish(days(1, 7))
    const { report } = await bench.run(january)
    expect([report.held, report.attested, await bench.history()]).toEqual([4, 3, shown(...range(1, 7))])
    expect((await bench.run(january)).report).toMatchObject({ periods: 0, held: 7, charged_motes: '0' })
  })
})

describe('rejected before anything is read', () => {
  const cases: [string, { from: string; to?: string }, object, string][] = [
    ['a period of another frequency', { from: '2026-01' }, { code: 'period' }, 'a date, YYYY-MM-DD'],
    ['another end', { from: '2026-01-01', to: '2026-Q1' }, { code: 'period' }, 'a date, YYYY-MM-DD'],
    [
      'an end before the begin',
      { from: '2026-01-02', to: '2026-01-01' },
      { code: 'backfill', reason: 'range' },
      'is earlier than',
    ],
  ]
  test.each(cases)('error: %s', async (_, options, fields, words) => {
    await using bench = await createBackfillBench({
      between: () => () => {
        throw new Error('a node was called')
      },
    })
    const error = await errorOf(bench.run(options))
    expect(error).toMatchObject(fields)
    expect(error.message).toContain(words)
  })
})

test('error: a balance that is too low for all of it: nothing is sent', async () => {
  await using bench = await createBackfillBench({
    between: (answer) => (method, params) =>
      method === 'query_balance' ? { result: { balance: '6000000000' } } : answer(method, params),
  })
  bench.publish(days(1, 9))
  const error = await errorOf(bench.run(january))
  expect(error).toMatchObject({ code: 'backfill', reason: 'balance' })
  expect(error.message).toContain('the account has 6 CSPR, but the backfill needs')
  expect([await bench.history(), bench.said.milestones]).toEqual([[], []])
})

test('error: a new state folder: nothing is sent, and the command names the time from which it may be', async () => {
  await using bench = await createBackfillBench({ isNewState: true })
  bench.publish(days(1, 9))
  const error = await errorOf(bench.run(january))
  expect(error).toMatchObject({ code: 'new_state', waitsUntil: expect.any(Number) })
  expect(bench.said.milestones.filter((line) => line.includes('retrying'))).toEqual([])
  expect([await bench.history(), bench.pending()]).toEqual([[], []])
})

test('error: EIA has more rows than can be listed: nothing is sent', async () => {
  await using bench = await createBackfillBench()
  bench.publish(days(1, 9))
  const platform = {
    ...bench.platform,
    async fetch(url: string, init: RequestInit) {
      const response = await bench.platform.fetch(url, init)
      if (!url.startsWith(bench.upstream.url)) return response
      const text = await response.text()
      return new Response(text.replace(/"total":"\d+"/, '"total":"999999"'))
    },
  }
  const error = await errorOf(bench.run({ from: '2020-01-01' }, { platform }))
  expect(error).toMatchObject({ code: 'backfill', reason: 'too_many_rows' })
  expect(await bench.history()).toEqual([])
})
