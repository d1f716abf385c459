import { expect, test } from 'bun:test'
import { UnsupportedAccountError } from 'wattfeed'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createFakeClient } from '../fakeClient.ts'
import { ask, createTestApp } from '../testApp.ts'

const id = testFeedId(0)

test('default: the attester of a feed at one state root', async () => {
  const chain = await createRegistryChain({ feeds: 1 })
  const { client } = localClient(chain)
  const response = await ask(createTestApp({ client, network: chain }), `/v1/feeds/${id}/attester`)
  const account = await client.getClaimant(id)
  expect(await response.json()).toEqual({
    feed_id: id,
    account,
    chain_name: 'test-net',
    authority: {
      keys: [{ account_hash: account, weight: 1 }],
      thresholds: { deployment: 1, key_management: 1 },
      min_signers: 1,
    },
  })
  expect(response.headers.get('x-casper-state-root')).toBe(chain.stateRootHash())
})

test('error: an account in a form that cannot be read', async () => {
  const client = createFakeClient()
  const account = `account-hash-${'ab'.repeat(32)}`
  const app = createTestApp({
    client: {
      ...client,
      withSnapshot: (read) =>
        client.withSnapshot((at) =>
          read({
            ...at,
            getAttester: async () => {
              throw new UnsupportedAccountError(account)
            },
          }),
        ),
    },
  })
  const response = await ask(app, `/v1/feeds/${id}/attester`)
  expect([response.status, response.headers.get('x-wattfeed-error'), await response.json()]).toEqual([
    501,
    'unsupported_account',
    { error: `the chain stores ${account} as an addressable entity, which is unsupported` },
  ])
})

test('error: an unknown feed', async () => {
  const chain = await createRegistryChain({ feeds: 1 })
  const app = createTestApp({ client: localClient(chain).client, network: chain })
  const response = await ask(app, '/v1/feeds/EIA.NO.SUCH.FEED/attester')
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: 'feed not found on-chain: EIA.NO.SUCH.FEED' },
  ])
})
