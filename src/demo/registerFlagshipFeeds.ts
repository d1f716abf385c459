import { createClient } from 'wattfeed'
import { openState } from '../agent/state/openState.ts'
import type { FeedConfig } from '../feeds/file/feedConfig.ts'
import { openRegistrations, registerFeeds } from '../operator/feeds/register/registerFeeds.ts'
import { connectionOf } from './connection.ts'
import { type DemoChain, POLL_MS } from './demoChain.ts'

export async function registerFlagshipFeeds(
  chain: DemoChain,
  feeds: readonly FeedConfig[],
  directory: string,
): Promise<void> {
  const { rpc, owner, devnet, packageHashes, clock } = chain
  const { signer } = owner
  const { chainName } = devnet
  const feedRegistryPackageHash = packageHashes.FeedRegistry
  using state = openState(directory, { purpose: 'demo' })
  const destination = { chainName, contract: feedRegistryPackageHash, account: signer.accountHash }
  const reports = await registerFeeds(
    {
      rpc,
      signer,
      chainName,
      client: createClient(connectionOf(chain)),
      feedRegistryPackageHash,
      paymentMotes: null,
      rescalesHistory: false,
      store: openRegistrations({ state, destination }),
      pollMs: POLL_MS,
      now: clock.now,
    },
    feeds,
  )
  const failed = reports.find(({ error }) => error !== null)
  if (failed?.error) throw new Error(`failed to register ${failed.feed_id}: ${failed.error.message}`)
}
