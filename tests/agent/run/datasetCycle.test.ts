import { describe, expect, test } from 'bun:test'
import type { PeriodCounts } from '../../../src/agent/datasets/periodCounts.ts'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import { FeedPendingError } from '../../../src/agent/state/feedPending.ts'
import type { DatasetConfig, SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { datasetConfig, takenOf, weekly, withoutOthers } from '../datasets/fakes.ts'
import {
  attestationOf,
  type CycleOptions,
  createCycleOptions,
  createCyclesOf,
  createFakeChain,
  createFakeEia,
  createFakeOutbox,
  createManualWait,
  executedAs,
  feedOf,
  rowOf,
  turn,
} from './fakes.ts'

const spot = datasetConfig()
const price: SeriesConfig = feedOf('WTI')

/** Cycles over datasets whose snapshots the test ends, and a series. */
function createBench(
  feeds: readonly (DatasetConfig | SeriesConfig)[],
  { acceptsShrunk, ...changes }: Partial<Outbox> & Pick<CycleOptions, 'acceptsShrunk'> = {},
) {
  const chain = createFakeChain(feeds)
  const { outbox, sent } = createFakeOutbox(changes)
  const { eia } = createFakeEia(() => [rowOf()])
  const { wait, waits } = createManualWait()
  const settled: FeedOutcome[] = []
  /** The counts of roots whose snapshots are there. */
  const counts = new Map<string, PeriodCounts>()
  const asked: {
    feedId: string
    spare: string | null
    end: (taken: ReturnType<typeof takenOf> | Error) => void
  }[] = []
  const options: CycleOptions = {
    ...createCycleOptions(chain, { eia, outbox }),
    wait,
    keeper: {
      ...withoutOthers,
      take({ feed_id: feedId }, newest) {
        const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof takenOf>>()
        asked.push({
          feedId,
          spare: newest?.source_hash ?? null,
          end: (taken) => (taken instanceof Error ? reject(taken) : resolve(taken)),
        })
        return promise
      },
      countsOf: (_, { source_hash }) => counts.get(source_hash) ?? null,
      noteAttested: () => {},
    },
    onOutcome: (outcome) => settled.push(outcome),
    acceptsShrunk,
  }
  const cycles = createCyclesOf(options)
  const sentIds = () => sent.map((batch) => batch.map(({ feed_id }) => feed_id))
  const outcomes = () => settled.map(({ feedId, decision, error }) => [feedId, decision ?? codeOf(error)])
  return { chain, counts, cycles, asked, waits, sentIds, outcomes, sent, settled }
}

const codeOf = (error: Error | null) => (error !== null && 'code' in error ? error.code : error?.message)

describe('a dataset in a cycle', () => {
  test('default: its root is attested when its snapshot is there; the other feeds do not wait', async () => {
    const { cycles, asked, sentIds, outcomes, sent } = createBench([spot, price])
    const cycle = cycles.begin([spot, price])
    await cycle.polled
    await turn()
    expect([sentIds(), outcomes()]).toEqual([[['EIA.WTI']], [['EIA.WTI', 'new-period']]])
    expect(asked).toMatchObject([{ feedId: spot.feed_id, spare: null }])
    asked[0]?.end(takenOf())
    expect((await cycle.outcomes).map(({ feedId }) => feedId)).toEqual(['EIA.WTI', spot.feed_id])
    const value = { period: 20261116, amount: 100n, source_hash: 'ab'.repeat(32) }
    expect(sent[1]).toMatchObject([{ feed_id: spot.feed_id, ...value }])
  })

  test('behavior: roots that are there within three seconds share a transaction', async () => {
    const { cycles, asked, waits, sentIds } = createBench([spot, weekly])
    const cycle = cycles.begin([spot, weekly])
    await cycle.polled
    await turn()
    asked[0]?.end(takenOf())
    await turn()
    expect([sentIds(), waits.map(({ ms }) => ms)]).toEqual([[], [3_000]])
    asked[1]?.end(takenOf({ newestPeriod: '2026-11-13', frequency: 'weekly' }))
    await cycle.outcomes
    expect(sentIds()).toEqual([[spot.feed_id, weekly.feed_id]])
  })

  test('behavior: a root waits three seconds for another dataset, and not for its whole reading', async () => {
    const { cycles, asked, waits, sentIds } = createBench([spot, weekly])
    cycles.begin([spot, weekly])
    await turn()
    asked[0]?.end(takenOf())
    await turn()
    expect(sentIds()).toEqual([])
    waits[0]?.end()
    await turn()
    expect(sentIds()).toEqual([[spot.feed_id]])
  })

  test('behavior: the snapshot of the newest root on chain is spared, and the chain is read again after it', async () => {
    const { chain, cycles, asked, outcomes, sentIds } = createBench([spot])
    chain.set(spot.feed_id, { latest: attestationOf({ amount: 100n, source_hash: 'cd'.repeat(32) }) })
    const cycle = cycles.begin([spot])
    await turn()
    expect(asked[0]?.spare).toBe('cd'.repeat(32))
    // Another run has attested the same root meanwhile.
    const latest = attestationOf({ period: 20261116, amount: 100n, source_hash: 'ab'.repeat(32) })
    chain.set(spot.feed_id, { latest })
    asked[0]?.end(takenOf())
    await cycle.outcomes
    expect([outcomes(), sentIds()]).toEqual([[[spot.feed_id, 'unchanged']], []])
  })

  test('behavior: the outcome tells the root that was attested, which may not be the planned one', async () => {
    const about = {
      row: rowOf(),
      result: {
        ...{ period: 20_261_116, amount: 101n, source_hash: 'ef'.repeat(32) },
        ...{ decision: 'new-period' as const, unit: 'values' },
      },
    }
    const attest: Outbox['attest'] = async () => ({
      executed: executedAs('cd'.repeat(32)),
      dropped: [],
      about,
    })
    const { cycles, asked, settled } = createBench([spot], { attest, isTogether: true })
    const cycle = cycles.begin([spot])
    await turn()
    asked[0]?.end(takenOf())
    await cycle.outcomes
    expect(settled).toMatchObject([
      { row: about.row, result: about.result, transactionHashes: ['cd'.repeat(32)] },
    ])
  })

  test('behavior: roots of a committee whose members find nothing new end without a transaction', async () => {
    const attest: Outbox['attest'] = async () => ({ executed: null, dropped: [] })
    const { cycles, asked, settled } = createBench([spot], { attest, isTogether: true })
    const cycle = cycles.begin([spot])
    await turn()
    asked[0]?.end(takenOf())
    await cycle.outcomes
    expect(settled).toMatchObject([{ error: null, transactionHashes: [], result: { amount: 100n } }])
  })

  test('error: a snapshot that fails is the outcome of its feed alone', async () => {
    const { cycles, asked, outcomes } = createBench([spot, price])
    const cycle = cycles.begin([spot, price])
    await turn()
    asked[0]?.end(new Error('EIA is down'))
    await cycle.outcomes
    expect(outcomes().toSorted()).toEqual([
      [spot.feed_id, 'EIA is down'],
      ['EIA.WTI', 'new-period'],
    ])
  })

  test.each<[string, string, (bench: ReturnType<typeof createBench>) => void]>([
    ['is not registered', 'feed_not_registered', ({ chain }) => chain.set(spot.feed_id, { feed: null })],
    [
      'is claimed by another',
      'feed_claimed',
      ({ chain }) => chain.set(spot.feed_id, { claimant: 'hash-00' }),
    ],
    [
      'has no recipe on chain',
      'feed_mismatch',
      ({ chain }) => {
        const feed = chain.states.get(spot.feed_id)?.feed ?? null
        chain.set(spot.feed_id, { feed: feed && { ...feed, description: spot.description } })
      },
    ],
    [
      'has another recipe on chain',
      'feed_mismatch',
      ({ chain }) => {
        const feed = chain.states.get(spot.feed_id)?.feed ?? null
        const description = feed?.description.replace(';1;', ';all;') ?? ''
        chain.set(spot.feed_id, { feed: feed && { ...feed, description } })
      },
    ],
  ])('error: nothing is read of a dataset whose feed %s', async (_, code, change) => {
    const bench = createBench([spot])
    change(bench)
    await bench.cycles.begin([spot]).outcomes
    expect([bench.outcomes(), bench.asked]).toEqual([[[spot.feed_id, code]], []])
  })

  test('error: nothing is read while a transaction of it is pending', async () => {
    const bench = createBench([spot], {
      assertFree({ feed_id }) {
        throw new FeedPendingError(feed_id, {})
      },
    })
    await bench.cycles.begin([spot]).outcomes
    expect([bench.outcomes(), bench.asked]).toEqual([[[spot.feed_id, 'feed_pending']], []])
  })

  test.each([
    [false, 'dataset_shrank'],
    [true, 'revision'],
  ])('behavior: one that has shrunk, accepted: %j', async (acceptsShrunk, word) => {
    const { chain, counts, cycles, asked, outcomes } = createBench([spot], { acceptsShrunk })
    const [root, amount] = ['cd'.repeat(32), 120n]
    chain.set(spot.feed_id, { latest: attestationOf({ period: 20261116, amount, source_hash: root }) })
    counts.set(root, new Map([['2026-11-16', 120]]))
    const cycle = cycles.begin([spot])
    await turn()
    asked[0]?.end(takenOf())
    await cycle.outcomes
    expect(outcomes()).toEqual([[spot.feed_id, word]])
  })

  test('behavior: of a newer window, only the periods that the newest root has, too', async () => {
    const { chain, counts, cycles, asked, outcomes } = createBench([spot])
    const [root, amount] = ['cd'.repeat(32), 1_000n]
    chain.set(spot.feed_id, { latest: attestationOf({ period: 20261113, amount, source_hash: root }) })
    counts.set(root, new Map([['2026-11-13', 1_000]]))
    const cycle = cycles.begin([spot])
    await turn()
    asked[0]?.end(takenOf())
    await cycle.outcomes
    expect(outcomes()).toEqual([[spot.feed_id, 'new-period']])
  })
})
