import { describe, expect, test } from 'bun:test'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { localClient } from 'wattfeed/testing/localClient'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { formatFeedList, isInStep, listFeeds } from '../../../src/operator/feeds/list.ts'
import { createConfig } from './support/feedConfigs.ts'
import { CHAIN_NAME, createFeedsChain, START } from './support/feedsChain.ts'

const signer = await testSigner()
const wti = createConfig()
const brent = createConfig({ feed_id: 'EIA.PET.PRICE.BRENT.DAILY', unverified: 'nobody asked' })

describe('listFeeds', () => {
  test('default: chain and configuration side by side, at one state root', async () => {
    const chain = await createFeedsChain()
    await chain.register('OTHER.FEED', feedMetadata(createConfig({ decimals: 0 })), 'stranger')
    await chain.register(wti.feed_id, { ...feedMetadata(wti), unit: '€/bbl', decimals: 2 })
    await chain.attest(wti.feed_id, { period: 20261119, amount: 5991n })
    const list = await listFeeds(chain.client, [wti, brent])
    const nothing = { period: null, amount: null, value: null, updated_at: null }
    expect(list).toEqual({
      state_root_hash: (await chain.client.snapshot()).stateRootHash,
      feeds: [
        {
          feed_id: wti.feed_id,
          is_configured: true,
          is_registered: true,
          claimant: signer.accountHash,
          differences: [
            { field: 'decimals', configured: 6, on_chain: 2 },
            { field: 'unit', configured: '$/bbl', on_chain: '€/bbl' },
          ],
          unverified: null,
          period: 20261119,
          amount: '5991',
          value: '59.91',
          unit: '€/bbl',
          // Blocks are one millisecond apart.
          updated_at: START + 3,
        },
        {
          feed_id: brent.feed_id,
          is_configured: true,
          is_registered: false,
          claimant: null,
          differences: [],
          unverified: 'nobody asked',
          unit: null,
          ...nothing,
        },
        {
          feed_id: 'OTHER.FEED',
          is_configured: false,
          is_registered: true,
          claimant: chain.stranger,
          differences: [],
          unverified: null,
          unit: '$/bbl',
          ...nothing,
        },
      ],
    })
    expect(isInStep(list)).toBeFalse()
  })

  test('behavior: in step if every configured feed is as configured, regardless of others', async () => {
    const chain = await createFeedsChain()
    await chain.register(wti.feed_id, feedMetadata(wti))
    await chain.register('OTHER.FEED', feedMetadata(brent), 'stranger')
    expect(isInStep(await listFeeds(chain.client, [wti]))).toBeTrue()
    expect(isInStep(await listFeeds(chain.client, [wti, brent]))).toBeFalse()
    expect(isInStep(await listFeeds(chain.client, [{ ...wti, title: 'another' }]))).toBeFalse()
  })

  test('behavior: a value of a feed that is not registered cannot be scaled', async () => {
    const chain = await createFeedsChain()
    await chain.register(wti.feed_id, feedMetadata(wti))
    await chain.attest(wti.feed_id, { period: 20261119, amount: 5991n })
    const feedRegistryPackageHash = await chain.installFeedRegistry()
    const { feeds } = await listFeeds(localClient({ ...chain, feedRegistryPackageHash }).client, [wti])
    expect(feeds).toMatchObject([{ is_registered: false, amount: '5991', value: null }])
  })

  test('behavior: reports its progress', async () => {
    const chain = await createFeedsChain()
    await chain.register(wti.feed_id, feedMetadata(wti))
    const seen: [number, number][] = []
    await listFeeds(chain.client, [wti, brent], (...counts) => seen.push(counts))
    expect(seen).toEqual([
      [1, 2],
      [2, 2],
    ])
  })
})

describe('formatFeedList', () => {
  test('default: a line for each, with the differences', async () => {
    const chain = await createFeedsChain()
    await chain.register(wti.feed_id, { ...feedMetadata(wti), unit: '€/bbl', title: '\u001b[31m' })
    await chain.attest(wti.feed_id, { period: 20261119, amount: 59_910_000n })
    await chain.register('OTHER.FEED', feedMetadata(wti), 'stranger')
    const found = await listFeeds(chain.client, [wti, brent])
    // The FeedRegistry would reject this, but another contract might not.
    const evil = found.feeds.map((feed) =>
      feed.feed_id === 'OTHER.FEED' ? { ...feed, feed_id: 'EVIL\n\u202e' } : feed,
    )
    const list = { ...found, feeds: evil }
    expect(formatFeedList(CHAIN_NAME, list).split('\n')).toEqual([
      `casper-net-1 at state root ${list.state_root_hash}`,
      'feed                       on chain                    period    value      unit   claimant',
      `EIA.PET.PRICE.WTI.DAILY    differs: unit, title        20261119  59.910000  €/bbl  ${signer.accountHash.slice(0, 21)}…`,
      'EIA.PET.PRICE.BRENT.DAILY  not registered; unverified  -         -          -      -',
      `EVIL\\u{a}\\u{202e}          not configured              -         -          $/bbl  ${chain.stranger.slice(0, 21)}…`,
      '2 registered, 2 configured',
    ])
  })
})
