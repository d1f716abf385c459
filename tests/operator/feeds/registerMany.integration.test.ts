import { expect, test } from 'bun:test'
import { loadSigner } from '@wattfeed/casper/transaction'
import { createDevnet } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createClient } from '../../../packages/wattfeed/src/client/createClient.ts'
import { installRegistries } from '../../../src/devnet/installRegistries.ts'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import {
  MAX_REGISTRATIONS,
  openRegistrations,
  registerFeeds,
} from '../../../src/operator/feeds/register/registerFeeds.ts'
import { createState, pendingHashes } from '../../support/state.ts'
import { createConfig } from './support/feedConfigs.ts'

const FEEDS = 40

test('default: 40 feeds take 3 blocks, one for each 16 that are in flight', async () => {
  using state = createState()
  await using devnet = createDevnet({ accounts: 1, blockTimeMs: 'manual' })
  const registries = await installRegistries(devnet)
  const { feedRegistryPackageHash, attestationRegistryPackageHash } = registries
  const configs = Array.from({ length: FEEDS }, (_, index) => createConfig({ feed_id: `EIA.MANY_${index}` }))
  // Its gate has no list of eligible accounts, which new feeds need, but changed ones do not.
  for (const { feed_id } of configs) await registries.registerFeed(feed_id)
  const { signer } = await loadSigner(state.folder.write('key.pem', devnet.accounts[0]?.secretKeyPem ?? ''))
  const { chainName } = devnet
  const destination = { chainName, contract: feedRegistryPackageHash, account: signer.accountHash }
  const client = createClient({
    rpcUrls: ['http://node.test/rpc'],
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    fetch: localFetch(devnet.call),
  })
  let blocks = 0
  let done = 0
  let waiting: (() => void)[] = []
  /** Makes a block once the maximum number of transactions is in flight. */
  const wait = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length < Math.min(MAX_REGISTRATIONS, FEEDS - done)) return
      blocks += 1
      done += waiting.length
      devnet.produceBlock()
      const ready = waiting
      waiting = []
      for (const go of ready) go()
    })
  const reports = await registerFeeds(
    {
      rpc: rpcOf(devnet.call, { chainName }),
      client,
      signer,
      chainName,
      feedRegistryPackageHash,
      paymentMotes: null,
      rescalesHistory: false,
      store: openRegistrations({ state: state.file, destination }),
      wait,
    },
    configs,
  )
  expect(reports.filter(({ state }) => state !== 'executed')).toEqual([])
  expect(blocks).toBe(Math.ceil(FEEDS / MAX_REGISTRATIONS))
  for (const config of configs) expect(await client.getFeed(config.feed_id)).toEqual(feedMetadata(config))
  expect(pendingHashes(state.folder.path)).toEqual([])
})
