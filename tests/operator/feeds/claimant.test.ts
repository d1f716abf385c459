import { expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { readClaimant } from '../../../src/operator/feeds/claimant.ts'
import { createConfig } from './support/feedConfigs.ts'
import { createFeedsChain } from './support/feedsChain.ts'

const wti = createConfig()

test('default: the account that registered it', async () => {
  const chain = await createFeedsChain()
  await chain.register(wti.feed_id, feedMetadata(wti), 'stranger')
  expect(await readClaimant(chain.client, wti.feed_id)).toEqual({
    feed_id: wti.feed_id,
    claimant: chain.stranger,
  })
})

test('error: a feed that is not registered', async () => {
  const { client } = await createFeedsChain()
  expect(await errorOf(readClaimant(client, wti.feed_id))).toMatchObject({ code: 'feed_not_registered' })
})
