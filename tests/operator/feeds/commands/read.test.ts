import { expect, test } from 'bun:test'
import { feedMetadata } from '../../../../src/agent/feeds/feedConfig.ts'
import { readClaimant } from '../../../../src/operator/feeds/commands/read.ts'
import { testSigner } from '../../../agent/support/keys.ts'
import { errorOf } from '../../../support/errorOf.ts'
import { createConfig } from '../support/feedConfigs.ts'
import { createFeedsChain, stranger } from '../support/feedsChain.ts'

const signer = await testSigner()
const wti = createConfig()

test('default: who registered it', async () => {
  const chain = createFeedsChain({ signer })
  chain.register(wti.feed_id, feedMetadata(wti), stranger)
  expect(await readClaimant(chain.client, wti.feed_id)).toEqual({ feed_id: wti.feed_id, claimant: stranger })
})

test('error: a feed that is not registered', async () => {
  const { client } = createFeedsChain({ signer })
  expect(await errorOf(readClaimant(client, wti.feed_id))).toMatchObject({ code: 'feed_not_registered' })
})
