import { describe, expect, test } from 'bun:test'
import {
  BRENT,
  createWorld,
  PERIOD,
  SOURCE_HASH,
  UNAUTHORIZED,
  type World,
  WTI,
  wtiFeed,
} from 'wattfeed/testing/world'
import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'

const INVALID_FEED_ID = 'User error: 2'
const NO_ATTESTATIONS = 'User error: 2'

/** A value attested by alice, with the time of its block. */
const attestation = ({ alice }: World, amount: bigint, timestamp: number): Attestation => ({
  period: PERIOD,
  amount,
  source_hash: SOURCE_HASH,
  attester: alice.accountHash,
  timestamp,
})

/** A chain on which alice has registered a feed. */
async function createClaimed(): Promise<World> {
  const world = await createWorld()
  expect(await world.register(world.alice, WTI)).toBeNull()
  return world
}

describe('register_feed', () => {
  test('default: the account that registers a new feed is its claimant', async () => {
    await using world = await createClaimed()
    const { alice, owner } = world
    expect(await world.read()).toEqual({
      feedCount: 1,
      attester: owner.accountHash,
      total: 0,
      feeds: [{ feedId: WTI, feed: wtiFeed, claimant: alice.accountHash, latest: null, history: [] }],
      events: { FeedRegistry: [expect.any(String)], AttestationRegistry: [] },
    })
  })

  test('behavior: the claimant replaces the metadata, eligible or not, and the feed counts once', async () => {
    await using world = await createClaimed()
    const { alice, bob } = world
    expect(await world.register(bob, BRENT)).toBeNull()
    expect(await world.close(alice)).toBeNull()
    expect(await world.register(alice, WTI, { unit: 'USD/bbl', decimals: 2 })).toBeNull()
    const { feedCount, feeds, events } = await world.read()
    expect(feedCount).toBe(2)
    expect(feeds.map(({ feedId, feed, claimant }) => [feedId, feed, claimant])).toEqual([
      [WTI, { ...wtiFeed, unit: 'USD/bbl', decimals: 2 }, alice.accountHash],
      [BRENT, wtiFeed, bob.accountHash],
    ])
    expect(events.FeedRegistry).toHaveLength(3)
  })

  test('behavior: new metadata does not change the values', async () => {
    await using world = await createClaimed()
    expect(await world.attest(world.alice, WTI, 1n)).toBeNull()
    const before = await world.read()
    expect(await world.register(world.alice, WTI, { title: 'Crude' })).toBeNull()
    const { feeds, total, events } = await world.read()
    expect([feeds[0]?.history, total, events.AttestationRegistry]).toEqual([
      before.feeds[0]?.history,
      1,
      before.events.AttestationRegistry,
    ])
  })

  test.each(['', 'a\nb', '\u0000', 'EIA.\u0085'])('error: %j is not a feed id', async (feedId) => {
    await using world = await createWorld()
    expect(await world.register(world.alice, feedId)).toBe(INVALID_FEED_ID)
    expect((await world.read()).feedCount).toBe(0)
  })

  test('error: authorization is checked before the content', async () => {
    await using world = await createWorld()
    expect(await world.close(world.alice)).toBeNull()
    expect(await world.register(world.alice, '')).toBe(UNAUTHORIZED)
  })
})

describe('attest', () => {
  test('default: the claimant’s value is the newest, and previous values remain', async () => {
    await using world = await createClaimed()
    expect(await world.attest(world.alice, WTI, 58_000_000n)).toBeNull()
    const [first] = (await world.read()).feeds[0]?.history ?? []
    expect(await world.attest(world.alice, WTI, 59_910_000n)).toBeNull()
    const { total, feeds, events } = await world.read()
    const firstMs = first?.timestamp ?? 0
    const second = attestation(world, 59_910_000n, firstMs + 1)
    expect([total, feeds[0]?.latest, feeds[0]?.history]).toEqual([
      2,
      second,
      [attestation(world, 58_000_000n, firstMs), second],
    ])
    expect(events.AttestationRegistry).toHaveLength(2)
  })

  test('behavior: the timestamp is the time of the block', async () => {
    await using world = await createClaimed()
    expect(await world.attest(world.alice, WTI, 1n)).toBeNull()
    const block = JSON.stringify(await world.devnet.call('chain_get_block'))
    const [, time = ''] = /"timestamp":"([^"]+)"/.exec(block) ?? []
    expect((await world.read()).feeds[0]?.latest?.timestamp).toBe(Date.parse(time))
  })
})

describe('attest_many', () => {
  test('default: several values of several feeds, in their order', async () => {
    await using world = await createClaimed()
    expect(await world.register(world.alice, BRENT)).toBeNull()
    expect(
      await world.attestMany(world.alice, [
        [WTI, 1n],
        [BRENT, 2n],
        [WTI, 3n],
      ]),
    ).toBeNull()
    const { total, feeds, events } = await world.read()
    expect(feeds.map(({ history }) => history.map(({ amount }) => amount))).toEqual([[1n, 3n], [2n]])
    expect([total, events.AttestationRegistry.length]).toEqual([3, 3])
  })

  test.each([0, 1, 2])('error: if the value at index %i is rejected, none is attested', async (place) => {
    await using world = await createClaimed()
    expect(await world.register(world.bob, BRENT)).toBeNull()
    const before = await world.read()
    const many: [string, bigint][] = [
      [WTI, 1n],
      [WTI, 2n],
    ]
    expect(await world.attestMany(world.alice, many.toSpliced(place, 0, [BRENT, 9n]))).toBe(UNAUTHORIZED)
    expect(await world.read()).toEqual(before)
    expect(await world.attestMany(world.alice, many)).toBeNull()
  })

  test('error: an empty batch', async () => {
    await using world = await createClaimed()
    expect(await world.attestMany(world.alice, [])).toBe(NO_ATTESTATIONS)
  })
})
