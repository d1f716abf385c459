import { describe, expect, test } from 'bun:test'
import { feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { assertAttestable } from '../../../src/agent/loop/decisionInput.ts'
import type { FeedState } from '../../../src/agent/loop/feedReader.ts'
import type { Feed } from '../../../src/registry/feed.ts'
import { errorOf } from '../../support/errorOf.ts'
import { feedOf, owner } from './fakes.ts'

const config = feedOf('A')
const stateOf = (changes: Partial<Feed> = {}, claimant: string | null = owner): FeedState => ({
  feedId: config.feed_id,
  feed: { ...feedMetadata(config), ...changes },
  latest: null,
  claimant,
})
const failureOf = (state: FeedState, accountHash: string | null = owner) =>
  errorOf(Promise.resolve().then(() => assertAttestable(config, state, accountHash)))

describe('assertAttestable', () => {
  test('default: a feed as it is configured', () => {
    assertAttestable(config, stateOf(), owner)
  })

  test('behavior: words for people may differ', () => {
    assertAttestable(config, stateOf({ title: 'Other', description: 'Other', source: 'Other' }), owner)
  })

  test('behavior: without a key nobody asks who may attest', () => {
    assertAttestable(config, stateOf({}, 'account-hash-other'), null)
  })

  test('error: a feed that is not registered', async () => {
    const error = await failureOf({ feedId: 'EIA.A', feed: null, latest: null, claimant: null })
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
      `EIA.A is claimed by account-hash-${'bb'.repeat(32)}, and the key is that of ${owner}: use the claimant's key, or register a feed with another id`,
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
      `EIA.A differs: ${words}; change the feeds file, or register the feed again`,
    ])
  })
})
