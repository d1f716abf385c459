import { describe, expect, test } from 'bun:test'
import type { EiaRow, Series } from '@wattfeed/eia'
import { errorOf } from '@wattfeed/testing/errorOf'
import { casperTest } from '../../../packages/wattfeed/src/client/networks.ts'
import type { Feed } from '../../../packages/wattfeed/src/registry/feed.ts'
import { observe } from '../../../src/agent/look/observe.ts'
import type { ObserveSettings } from '../../../src/agent/look/observeSettings.ts'
import {
  assertAttestable,
  type ChainFeed,
  isPublicNetwork,
} from '../../../src/agent/plan/assertAttestable.ts'
import type { Decided } from '../../../src/agent/plan/decide.ts'
import { planFeed } from '../../../src/agent/plan/plan.ts'
import { feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { attestationOf, createFakeChain, feedOf, observeSettings, owner, rowOf } from '../run/fakes.ts'

const feed = feedOf('A')

/** Everything that a plan needs, and what was asked of upstream. */
function createBench(rows: readonly EiaRow[] = [rowOf()], config = feed) {
  const chain = createFakeChain([config])
  const asked: Series[] = []
  const seen: EiaRow[] = []
  const warned: string[] = []
  const confirmed: string[] = []
  const options = observeSettings({
    eia: {
      async listNewestRows(series) {
        asked.push(series)
        return [...rows]
      },
      listRowsSince: async () => ({ rows: [...rows], isComplete: true }),
    },
    onUnit: (feedId, unit) => void confirmed.push(`${feedId}: ${unit}`),
    warnOnce: (feedId, message) => void warned.push(`${feedId}: ${message}`),
  })
  const plan = async (changes: Partial<ObserveSettings> = {}) => {
    const terms = { ...options, ...changes, paymentMotes: null, maxSteps: null }
    const observation = await observe(config, await chain.openView(), terms)
    // What observes the same plans the same, whenever it does.
    const planned = planFeed(config, observation, terms)
    expect(planFeed(structuredClone(config), observation, { ...terms })).toEqual(planned)
    return planned
  }
  const run = async (changes: Partial<ObserveSettings> = {}): Promise<Decided> => {
    const planned = await plan(changes)
    if (planned.error !== null) throw planned.error
    seen.push(planned.about.row)
    return planned.about.result
  }
  return { chain, asked, seen, warned, confirmed, run, plan, options }
}

describe('observe and planFeed', () => {
  test('default: reads the chain, requests the newest row from EIA, decides', async () => {
    const { chain, asked, seen, run } = createBench()
    chain.set(feed.feed_id, { latest: attestationOf() })
    expect<object>(await run()).toEqual({
      decision: 'new-period',
      period: 20261116,
      amount: 5_991n,
      unit: '$/BBL',
      source_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      source: expect.objectContaining({ period: '2026-11-16', value: '59.91' }),
    })
    const { route, frequency, column, facets } = feed
    const openFacets = ['duoarea', 'product', 'process']
    expect([asked, seen]).toEqual([[{ route, frequency, column, facets, openFacets }], [rowOf()]])
  })

  test('behavior: the value on chain counts', async () => {
    const { chain, run } = createBench()
    chain.set(feed.feed_id, { latest: attestationOf({ period: 20261117 }) })
    expect((await run()).decision).toBe('older-than-chain')
  })

  test('error: EIA is not called for a feed that cannot be attested', async () => {
    const { chain, asked, run } = createBench()
    chain.set(feed.feed_id, { claimant: `account-hash-${'bb'.repeat(32)}` })
    expect((await errorOf(run())).code).toBe('feed_claimed')
    expect(asked).toEqual([])
    expect((await run({ accountHash: null })).decision).toBe('new-period')
  })

  test('error: a unit other than the configured one; no unit counts as another', async () => {
    const config = feedOf('A', { upstream_unit: '$/BBL' })
    const right = createBench([rowOf()], config)
    expect([(await right.run()).decision, right.confirmed]).toEqual(['new-period', ['EIA.A: $/BBL']])
    const other = await errorOf(createBench([rowOf({ statedUnit: '$/GAL' })], config).run())
    expect<unknown>([{ ...other }, other.message]).toEqual([
      { code: 'unit_changed', retryable: false, feedId: 'EIA.A', stated: '$/GAL', expected: '$/BBL' },
      'EIA states the unit "$/GAL" for EIA.A, not "$/BBL": nothing is attested until the feed is changed. If only the words changed, move the old ones to earlier_upstream_units, set upstream_unit and run "feeds register". If the meaning changed, register a feed with another id',
    ])
    const none = await errorOf(createBench([rowOf({ statedUnit: null })], config).run())
    expect(none.message).toStartWith('EIA states no unit for EIA.A, not "$/BBL"')
  })

  test.each([
    ['casper', 'feed_unverified'],
    ['casper-test', 'feed_unverified'],
    ['casper-net-1', 'new-period'],
    ['casper-dev', 'new-period'],
  ])('behavior: an unverified feed on %s: %s', async (chainName, outcome) => {
    const { asked, run } = createBench([rowOf()], feedOf('A', { unverified: 'nobody saw it' }))
    const found = await run({ chainName }).then(
      ({ decision }) => decision,
      ({ code }) => code,
    )
    expect([found, asked.length]).toEqual([outcome, outcome === 'new-period' ? 1 : 0])
  })

  test('error: a node behind the block of the feed’s last transaction is not read', async () => {
    const { chain, asked, options } = createBench()
    const view = await chain.openView()
    const at = (block: { height: number; time: number }) => ({
      ...view,
      block: { ...view.block, ...block },
      settled: new Map([['EIA.A', { height: 7, expiresAt: 2_000 }]]),
    })
    const failureAt = async (height: number, time: number) =>
      (await observe(feed, at({ height, time }), options)).failure
    const failure = await failureAt(6, 2_000)
    expect<unknown>([{ ...failure }, failure?.message, asked]).toEqual([
      { code: 'lagging_value', retryable: true, feedId: 'EIA.A', settledHeight: 7, height: 6 },
      'the node lags: its newest block is 6, and block 7 has the last transaction of EIA.A; the feed will be polled again',
      [],
    ])
    expect(await failureAt(7, 0)).toBeNull()
    // A lower block that is later than the transaction's expiry: the chain was started again.
    expect(await failureAt(1, 2_001)).toBeNull()
  })

  test('behavior: values that were read before a failure are preserved', async () => {
    const { plan, options } = createBench([rowOf()])
    const eia = { ...options.eia, listRowsSince: () => Promise.reject(new Error('no EIA')) }
    expect(await plan({ eia, lookBack: 2 })).toMatchObject({
      error: { message: 'no EIA' },
      about: { row: rowOf(), result: { decision: 'new-period', period: 20261116 } },
    })
  })

  test('error: after a stop signal, nothing is started', async () => {
    const { asked, run } = createBench()
    const reason = new Error('stopped')
    expect(run({ stop: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(asked).toEqual([])
  })
})

const config = feedOf('A')
const stateOf = (changes: Partial<Feed> = {}, claimant: string | null = owner): ChainFeed => ({
  feed: { ...feedMetadata(config), ...changes },
  latest: null,
  claimant,
})
const failureOf = (state: ChainFeed, accountHash: string | null = owner) =>
  errorOf(Promise.resolve().then(() => assertAttestable(config, state, accountHash)))

describe('assertAttestable', () => {
  test('default: a feed as it is configured', () => {
    assertAttestable(config, stateOf(), owner)
  })

  test('behavior: words for people may differ', () => {
    assertAttestable(config, stateOf({ title: 'Other', description: 'Other', source: 'Other' }), owner)
  })

  test('behavior: without a key, the claimant is not checked', () => {
    assertAttestable(config, stateOf({}, 'account-hash-other'), null)
  })

  test('error: a feed that is not registered', async () => {
    const error = await failureOf({ feed: null, latest: null, claimant: null })
    expect([error.code, error.message]).toEqual([
      'feed_not_registered',
      expect.stringContaining('EIA.A is not registered'),
    ])
  })

  test('error: a feed that another account claimed', async () => {
    const error = await failureOf(stateOf({}, `account-hash-${'bb'.repeat(32)}`))
    expect<unknown>([{ ...error }, error.message]).toEqual([
      {
        code: 'feed_claimed',
        retryable: false,
        feedId: 'EIA.A',
        claimant: `account-hash-${'bb'.repeat(32)}`,
        accountHash: owner,
      },
      `EIA.A is claimed by account-hash-${'bb'.repeat(32)}, but the key belongs to ${owner}: use the claimant's key, or register a feed with another id`,
    ])
  })

  test.each([
    [{ decimals: 3 }, 'decimals is 2 in the feeds file and 3 on chain'],
    [{ unit: 'c/bbl' }, 'unit is "$/bbl" in the feeds file and "c/bbl" on chain'],
    [{ route: 'petroleum' }, 'route is "petroleum/pri/spt" in the feeds file and "petroleum" on chain'],
    [{ frequency: 'weekly' }, 'frequency is "daily" in the feeds file and "weekly" on chain'],
  ])('error: %p', async (changes, words) => {
    const error = await failureOf(stateOf(changes))
    expect([error.code, error.message]).toEqual([
      'feed_mismatch',
      `EIA.A differs: ${words}; correct the feeds file. To change the feed on purpose, give it another id, or run "feeds register EIA.A" if its history may continue with the changed feed`,
    ])
  })

  describe('recipe on chain', () => {
    const registered = feedOf('A', { upstream_unit: '$/BBL', facets: { series: 'RNGWHHD', area: 'US' } })
    const differencesOf = async (edited: Partial<SeriesConfig>) => {
      const state = { ...stateOf(), feed: feedMetadata(registered) }
      const assert = () => assertAttestable({ ...registered, ...edited }, state, owner)
      return Reflect.get(await errorOf(Promise.resolve().then(assert)), 'differences')
    }

    test.each([
      [
        'another value of a facet',
        { facets: { series: 'RNGC1', area: 'US' } },
        { field: 'facets.series', configured: 'RNGC1', on_chain: 'RNGWHHD' },
      ],
      [
        'a facet fewer',
        { facets: { series: 'RNGWHHD' } },
        { field: 'facets.area', configured: null, on_chain: 'US' },
      ],
      [
        'a facet more',
        { facets: { series: 'RNGWHHD', area: 'US', constructor: 'x' } },
        { field: 'facets.constructor', configured: 'x', on_chain: null },
      ],
      ['another column', { column: 'price' }, { field: 'column', configured: 'price', on_chain: 'value' }],
    ])('error: %s is another series', async (_, edited, difference) => {
      expect(await differencesOf(edited)).toEqual([difference])
    })

    test('error: the message names both sides', async () => {
      const edited = { ...registered, facets: { series: 'RNGC1', area: 'US' } }
      const state = { ...stateOf(), feed: feedMetadata(registered) }
      const error = await errorOf(Promise.resolve().then(() => assertAttestable(edited, state, owner)))
      expect([error.code, error.message]).toEqual([
        'feed_mismatch',
        expect.stringContaining(
          'facets.series is "RNGC1" in the feeds file and "RNGWHHD" on chain; correct the feeds file.',
        ),
      ])
    })

    test('behavior: its unit is not compared, nor is the order of facets', () => {
      const edited = { ...registered, upstream_unit: '$/bbl', facets: { area: 'US', series: 'RNGWHHD' } }
      assertAttestable(edited, { ...stateOf(), feed: feedMetadata(registered) }, owner)
    })

    test('behavior: EIA is not called and nothing decided when it differs', async () => {
      const bench = createBench([rowOf()], registered)
      bench.chain.set(registered.feed_id, {
        feed: feedMetadata({ ...registered, facets: { series: 'RNGC1' } }),
      })
      expect((await errorOf(bench.run())).code).toBe('feed_mismatch')
      expect(bench.asked).toEqual([])
    })

    test('behavior: without one the feed is attested, with a warning', async () => {
      const { run, warned } = createBench([rowOf()], registered)
      await run()
      expect(warned).toEqual([])
      const without = createBench([rowOf()], registered)
      without.chain.set(registered.feed_id, {
        feed: { ...feedMetadata(registered), description: registered.description },
      })
      expect((await without.run()).decision).toBe('new-period')
      expect(without.warned).toEqual([expect.stringContaining('EIA.A: the feed has no recipe on chain')])
    })
  })
})

test('default: Casper’s main and test network, and no other', () => {
  expect(
    ['casper', casperTest.chainName, 'casper-net-1', 'casper-dev', 'Casper'].map(isPublicNetwork),
  ).toEqual([true, true, false, false, false])
})
