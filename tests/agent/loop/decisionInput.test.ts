import { describe, expect, test } from 'bun:test'
import { decide } from '../../../src/agent/decide.ts'
import { type DecisionInputOptions, readDecisionInput } from '../../../src/agent/loop/decisionInput.ts'
import { createFeedReader } from '../../../src/agent/loop/feedReader.ts'
import type { EiaRow, Series } from '../../../src/eia/series.ts'
import { errorOf } from '../../support/errorOf.ts'
import { attestationOf, createFakeChain, feedOf, NOW, owner, rowOf } from './fakes.ts'

const feed = feedOf('A')

/** Everything that a decision needs, and what was asked of upstream. */
function createBench(rows: readonly EiaRow[] = [rowOf()], config = feed) {
  const chain = createFakeChain([config])
  const asked: Series[] = []
  const seen: EiaRow[] = []
  const options: DecisionInputOptions = {
    reader: createFeedReader(chain.client),
    eia: {
      async listNewestRows(series) {
        asked.push(series)
        return [...rows]
      },
    },
    chainName: 'casper-net-1',
    accountHash: owner,
    underWay: new Map(),
    stop: new AbortController().signal,
  }
  const run = async (changes: Partial<DecisionInputOptions> = {}) => {
    const input = await readDecisionInput(config, { ...options, ...changes })
    seen.push(input.row)
    return decide({ ...input, feed: config, now: NOW })
  }
  return { chain, asked, seen, run }
}

describe('readDecisionInput', () => {
  test('default: reads the chain, asks upstream for the newest row, decides', async () => {
    const { chain, asked, seen, run } = createBench()
    chain.set(feed.feed_id, { latest: attestationOf() })
    expect(await run()).toEqual({
      decision: 'new-period',
      period: 20261116,
      amount: 5_991n,
      unit: '$/BBL',
      sourceHash: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const { route, frequency, column, facets } = feed
    expect([asked, seen]).toEqual([[{ route, frequency, column, facets }], [rowOf()]])
  })

  test('behavior: the value on chain counts', async () => {
    const { chain, run } = createBench()
    chain.set(feed.feed_id, { latest: attestationOf({ period: 20261117 }) })
    expect((await run()).decision).toBe('older-than-chain')
  })

  test('error: upstream is not asked for a feed that cannot be attested', async () => {
    const { chain, asked, run } = createBench()
    chain.set(feed.feed_id, { claimant: `account-hash-${'bb'.repeat(32)}` })
    expect((await errorOf(run())).code).toBe('feed_claimed')
    expect(asked).toEqual([])
    expect((await run({ accountHash: null })).decision).toBe('new-period')
  })

  test('error: another unit than the configured one; none is another one too', async () => {
    const config = feedOf('A', { upstream_unit: '$/BBL' })
    expect((await createBench([rowOf()], config).run()).decision).toBe('new-period')
    const other = await errorOf(createBench([rowOf({ statedUnit: '$/GAL' })], config).run())
    expect<unknown>([{ ...other }, other.message]).toEqual([
      { code: 'upstream_unit', retryable: false, feedId: 'EIA.A', stated: '$/GAL', expected: '$/BBL' },
      'EIA states the unit "$/GAL" for EIA.A, not "$/BBL": the series may have changed; change upstream_unit once that is understood',
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

  test('error: a feed with a transaction on its way is left alone', async () => {
    const { chain, asked, run } = createBench()
    const error = await errorOf(run({ underWay: new Map([['EIA.A', 'ab'.repeat(32)]]) }))
    expect<unknown>([{ ...error }, chain.snapshots(), asked]).toEqual([
      { code: 'feed_pending', retryable: true, feedId: 'EIA.A', transactionHash: 'ab'.repeat(32) },
      0,
      [],
    ])
  })

  test('error: once the agent is to stop, nothing is begun', async () => {
    const { chain, asked, run } = createBench()
    const reason = new Error('stopped')
    expect(run({ stop: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect([chain.snapshots(), asked]).toEqual([0, []])
  })
})
