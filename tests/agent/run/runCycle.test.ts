import { describe, expect, test } from 'bun:test'
import { sleep } from '@wattfeed/base'
import { TransactionFailedError, TransactionUnresolvedError } from '@wattfeed/casper/transaction'
import { EiaNoRowsError, type EiaRow } from '@wattfeed/eia'
import { type FeedOutcome, outcomeFields, transactionOf } from '../../../src/agent/feedOutcome.ts'
import { FeedBackfillingError, FeedPendingError } from '../../../src/agent/state/feedPending.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import {
  attestationOf,
  type CycleOptions,
  createCycleOptions,
  createFakeChain,
  createFakeEia,
  createFakeOutbox,
  createManualWait,
  feedOf,
  NOW,
  rowOf,
  runCycle,
  turn,
} from './fakes.ts'

const manyFeeds = (count: number): SeriesConfig[] =>
  Array.from({ length: count }, (_, index) => feedOf(`F${index}`))

/** A cycle over feeds of which upstream holds the same row, unless told otherwise. */
function createBench(feeds: readonly SeriesConfig[], rows: Record<string, EiaRow | Error> = {}) {
  const chain = createFakeChain(feeds)
  const { outbox, sent } = createFakeOutbox()
  const settled: FeedOutcome[] = []
  const { eia } = createFakeEia(({ facets }) => {
    const row = rows[`EIA.${facets.series}`] ?? rowOf()
    if (row instanceof Error) throw row
    return [row]
  })
  const options: CycleOptions = {
    ...createCycleOptions(chain, { eia, outbox }),
    onOutcome: (outcome) => settled.push(outcome),
  }
  const run = (changes: Partial<CycleOptions> = {}) => runCycle(feeds, { ...options, ...changes })
  return { chain, sent, outbox, settled, options, eia, run }
}

const summary = (outcomes: readonly FeedOutcome[]) =>
  Object.fromEntries(
    outcomes.map((outcome) => [
      outcome.feedId,
      [
        outcome.decision ?? ('code' in outcome.error ? outcome.error.code : outcome.error),
        transactionOf(outcome)?.replace(/^0+/, '') ?? null,
      ],
    ]),
  )

const sentIds = (sent: readonly (readonly { feed_id: string }[])[]) =>
  sent.map((batch) => batch.map(({ feed_id }) => feed_id))

describe('runCycle', () => {
  test('default: decides every feed, and attests due values, five in a transaction', async () => {
    const feeds = manyFeeds(7)
    const { run, sent, settled } = createBench(feeds)
    const outcomes = await run()
    expect(sentIds(sent)).toEqual([
      ['EIA.F0', 'EIA.F1', 'EIA.F2', 'EIA.F3', 'EIA.F4'],
      ['EIA.F5', 'EIA.F6'],
    ])
    expect(sent[0]?.[0]).toMatchObject({
      feed_id: 'EIA.F0',
      period: 20261116,
      amount: 5_991n,
      source_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(outcomes).toEqual(settled)
    expect(outcomes.filter(({ feedId }) => feedId === 'EIA.F6').map(outcomeFields)).toEqual([
      {
        feed_id: 'EIA.F6',
        decision: 'new-period',
        period: 20261116,
        amount: '5991',
        value: '59.91',
        unit: '$/BBL',
        source_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
        transaction_hash: '2'.padStart(64, '0'),
        transaction_hashes: ['2'.padStart(64, '0')],
        caught_up: [],
        missing: 0,
        revised: [],
        left_out: [],
        gaps: [],
        signers: [],
        waits_for: null,
        waits_until: null,
        error: null,
      },
    ])
  })

  test('behavior: a value that is not due is not sent, and has a reason', async () => {
    const feeds = manyFeeds(3)
    const { run, sent, chain } = createBench(feeds, { 'EIA.F1': rowOf({ value: 'w' }) })
    chain.set('EIA.F2', { latest: attestationOf({ period: 20261117 }) })
    expect(summary(await run())).toEqual({
      'EIA.F0': ['new-period', '1'],
      'EIA.F1': ['withheld', null],
      'EIA.F2': ['older-than-chain', null],
    })
    expect(sentIds(sent)).toEqual([['EIA.F0']])
  })

  test('behavior: a failing feed does not stop the others, and reports the values that were read', async () => {
    const feeds = manyFeeds(4)
    const { run, chain } = createBench(feeds, {
      'EIA.F0': new EiaNoRowsError({ route: 'petroleum/pri/spt', status: 200 }),
      'EIA.F1': rowOf({ value: '1e999' }),
      'EIA.F2': new TypeError('a bug'),
    })
    const outcomes = await run()
    expect(summary(outcomes)).toMatchObject({
      'EIA.F0': ['eia_no_rows', null],
      'EIA.F1': ['scale', null],
      'EIA.F3': ['new-period', '1'],
    })
    expect(outcomes.find(({ feedId }) => feedId === 'EIA.F1')).toMatchObject({
      decision: null,
      row: { value: '1e999' },
      result: null,
    })
    expect(outcomes.find(({ feedId }) => feedId === 'EIA.F2')?.error?.message).toBe('a bug')
    expect(chain.snapshots()).toBe(1)
  })

  test('behavior: the first transaction is sent while later feeds are still being fetched', async () => {
    const feeds = manyFeeds(6)
    const late = Promise.withResolvers<EiaRow[]>()
    const { run, sent, eia } = createBench(feeds)
    const cycle = run({
      eia: {
        ...eia,
        listNewestRows: async ({ facets }) => (facets.series === 'F5' ? late.promise : [rowOf()]),
      },
    })
    while (sent.length === 0) await turn()
    expect(sentIds(sent)).toEqual([['EIA.F0', 'EIA.F1', 'EIA.F2', 'EIA.F3', 'EIA.F4']])
    late.resolve([rowOf()])
    await cycle
    expect(sentIds(sent).at(1)).toEqual(['EIA.F5'])
  })

  test('behavior: a value does not wait for a feed whose EIA request hangs', async () => {
    const { wait, waits } = createManualWait()
    const never = Promise.withResolvers<EiaRow[]>()
    const { run, sent, eia } = createBench(manyFeeds(2))
    const cycle = run({
      wait,
      eia: {
        ...eia,
        listNewestRows: async ({ facets }) => (facets.series === 'F1' ? never.promise : [rowOf()]),
      },
    })
    while (waits.length === 0) await turn()
    expect(sent).toEqual([])
    waits[0]?.end()
    while (sent.length === 0) await turn()
    expect([waits[0]?.ms, sentIds(sent)]).toEqual([3_000, [['EIA.F0']]])
    never.resolve([rowOf()])
    await cycle
  })

  test('behavior: the wait is that of the first value of a transaction, not of an earlier transaction', async () => {
    const { wait, waits } = createManualWait()
    const late = Promise.withResolvers<EiaRow[]>()
    const { run, sent, eia } = createBench(manyFeeds(7))
    const cycle = run({
      wait,
      eia: {
        ...eia,
        listNewestRows: async ({ facets }) => (facets.series === 'F6' ? late.promise : [rowOf()]),
      },
    })
    while (waits.length < 2) await turn()
    expect(sent).toHaveLength(1)
    // That of the first transaction is over.
    waits[0]?.end()
    await turn()
    expect(sent).toHaveLength(1)
    late.resolve([rowOf()])
    await cycle
    expect(sentIds(sent).at(1)).toEqual(['EIA.F5', 'EIA.F6'])
  })

  test('behavior: a value that another agent wrote meanwhile is not sent, and this is reported', async () => {
    const { run, outbox, sent } = createBench(manyFeeds(3))
    const send: typeof outbox.attest = async (attestations) => ({
      ...(await outbox.attest(attestations)),
      dropped: [
        { feedId: 'EIA.F0', decision: 'unchanged', latest: attestationOf() },
        { feedId: 'EIA.F1', decision: 'older-than-chain', latest: attestationOf() },
      ],
    })
    const outcomes = await run({ outbox: { ...outbox, attest: send } })
    expect(summary(outcomes)).toEqual({
      'EIA.F0': ['unchanged', null],
      'EIA.F1': ['older-than-chain', null],
      'EIA.F2': ['new-period', '1'],
    })
    expect([sent.length, outcomes[0]?.result?.amount]).toEqual([1, 5_991n])
  })

  const executed = {
    transactionHash: 'ab'.repeat(32),
    blockHash: 'cd'.repeat(32),
    blockHeight: 7,
    errorMessage: 'User error: 1',
    limitMotes: 5n,
    consumedMotes: 4n,
    refundMotes: 0n,
    chargedMotes: 5n,
  }
  test.each([
    ['failed', new TransactionFailedError({ executed }), 'transaction_failed'],
    [
      'is not resolved',
      new TransactionUnresolvedError({ transactionHash: 'ab'.repeat(32), lastFailure: 'no node' }),
      'transaction_unresolved',
    ],
  ])('error: a transaction that %s fails each of its feeds, and no other', async (_, error, code) => {
    const { run, outbox } = createBench(manyFeeds(6))
    const send: typeof outbox.attest = async (attestations) => {
      if (attestations.length === 5) throw error
      return outbox.attest(attestations)
    }
    const outcomes = await run({ outbox: { ...outbox, attest: send } })
    const hash = 'ab'.repeat(32)
    expect(summary(outcomes)).toEqual({
      ...Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`EIA.F${index}`, [code, hash]])),
      'EIA.F5': ['new-period', '1'],
    })
    expect(outcomes.every(({ decision, error }) => (decision === null) === (error !== null))).toBeTrue()
  })

  test('behavior: a feed that another process attests to fails alone, and the others are sent', async () => {
    const { run, outbox, sent } = createBench(manyFeeds(5))
    const holder = { id: 7, host: null, purpose: 'attest' }
    const taken = [
      new FeedPendingError('EIA.F1', { holder }),
      new FeedBackfillingError({ feedId: 'EIA.F3', holder }),
    ]
    const send: typeof outbox.attest = async (attestations) => {
      for (const error of taken) if (attestations.some(({ feed_id }) => feed_id === error.feedId)) throw error
      return outbox.attest(attestations)
    }
    expect(summary(await run({ outbox: { ...outbox, attest: send } }))).toEqual({
      'EIA.F0': ['new-period', '1'],
      'EIA.F1': ['feed_pending', null],
      'EIA.F2': ['new-period', '1'],
      'EIA.F3': ['backfilling', null],
      'EIA.F4': ['new-period', '1'],
    })
    expect(sentIds(sent)).toEqual([['EIA.F0', 'EIA.F2', 'EIA.F4']])
  })

  test('error: a failed preparation fails every feed, and no request is sent', async () => {
    const { run, outbox, chain } = createBench(manyFeeds(2))
    const listPending = () => {
      throw new Error('no node')
    }
    const outcomes = await run({ outbox: { ...outbox, listPending } })
    expect(outcomes.map(({ error }) => error?.message)).toEqual(['no node', 'no node'])
    expect(chain.snapshots()).toBe(0)
  })

  test('behavior: a feed whose transaction is already in flight is skipped', async () => {
    const { run } = createBench(manyFeeds(2))
    const { outbox } = createFakeOutbox({
      assertFree({ feed_id }) {
        if (feed_id !== 'EIA.F0') return
        throw new FeedPendingError(feed_id, { transactionHash: 'ab'.repeat(32), waitsUntil: NOW + 7 }, NOW)
      },
    })
    const outcomes = await run({ outbox })
    expect(summary(outcomes)).toEqual({
      'EIA.F0': ['feed_pending', 'ab'.repeat(32)],
      'EIA.F1': ['new-period', '1'],
    })
    expect(outcomes.slice(0, 1).map(outcomeFields)).toMatchObject([
      { waits_for: 'ab'.repeat(32), waits_until: NOW + 7 },
    ])
    expect(outcomes[0]?.error?.message).toEndWith(
      `at the latest when it expires, at ${new Date(NOW + 7).toISOString()}`,
    )
  })

  test('behavior: one by one if the contract takes one at a time, and without waiting for others', async () => {
    const { wait, waits } = createManualWait()
    const { outbox, sent } = createFakeOutbox({ offersMany: false, paymentMotes: null })
    const { run } = createBench(manyFeeds(3))
    await run({ outbox, wait })
    expect([sentIds(sent), waits]).toEqual([[['EIA.F0'], ['EIA.F1'], ['EIA.F2']], []])
  })

  test('behavior: as many together as the payment covers', async () => {
    const { outbox, sent } = createFakeOutbox({ paymentMotes: null })
    await createBench(manyFeeds(9)).run({ outbox })
    expect(sentIds(sent).map(({ length }) => length)).toEqual([4, 4, 1])
  })

  test('behavior: a stop starts nothing new, and waits for transactions in flight', async () => {
    const controller = new AbortController()
    const { run, outbox, sent } = createBench(manyFeeds(30))
    const send: typeof outbox.attest = async (attestations) => {
      controller.abort(new Error('stopped'))
      return outbox.attest(attestations)
    }
    const outcomes = await run({ outbox: { ...outbox, attest: send }, stop: controller.signal })
    const attested = outcomes.filter(({ decision }) => decision === 'new-period')
    const stopped = outcomes.filter(({ error }) => error?.message === 'stopped')
    expect([outcomes.length, attested.length, stopped.length]).toEqual([
      30,
      sent.flat().length,
      30 - sent.flat().length,
    ])
    expect(sent.length).toBeGreaterThan(0)
    expect(sent.flat().length).toBeLessThan(30)
  })

  test('behavior: a stop sends none of the waiting plans', async () => {
    const controller = new AbortController()
    const { run, sent, eia } = createBench(manyFeeds(2))
    const gathered = Promise.withResolvers<void>()
    const cycle = run({
      stop: controller.signal,
      wait: (ms, signal) => {
        gathered.resolve()
        return sleep(ms, signal)
      },
      eia: {
        ...eia,
        async listNewestRows({ facets }, { signal } = {}) {
          if (facets.series === 'F0') return [rowOf()]
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        },
      },
    })
    await gathered.promise
    controller.abort(new Error('stopped'))
    expect((await cycle).map(({ error }) => error?.message)).toEqual(['stopped', 'stopped'])
    expect(sent).toEqual([])
  })
})
