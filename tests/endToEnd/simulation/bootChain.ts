import { createDevnet, type Devnet, type DevnetOptions } from '@wattfeed/casper-devnet'
import { createSender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { sendOrThrow } from 'wattfeed/testing/installContract'
import { installRegistries, type Packages } from 'wattfeed/testing/installRegistries'
import { registerArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import type { FeedConfig } from '../../../src/feeds/file/feedConfig.ts'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { registerPaymentMotes } from '../../../src/operator/feeds/register/registerPayment.ts'
import { START_MS } from './feedKinds.ts'

/** A chain with both registries and registered feeds; fork it. */
export interface BootedChain {
  devnet: Devnet
  packages: Packages
}

const BLOCK_MS = 8_000

/** Boots a chain whose first account is the claimant of the feeds, before a time in epoch milliseconds. */
export async function bootChain(
  feeds: readonly FeedConfig[],
  { startMs = START_MS, ...options }: { startMs?: number } & Pick<DevnetOptions, 'protocol'> = {},
): Promise<BootedChain> {
  let nowMs = startMs - 1_000 * BLOCK_MS
  const now = () => nowMs
  const devnet = createDevnet({
    seed: 'simulation',
    // With the rules for a public network.
    chainName: 'casper-test',
    accounts: 1,
    validators: 1,
    now,
    blockTimeMs: 'manual',
    ...options,
  })
  const [signer] = await signersOf(devnet.accounts)
  if (signer === undefined) throw new Error('the chain has no account')
  const produceBlock = () => {
    nowMs += BLOCK_MS
    devnet.produceBlock()
  }
  const sender = createSender({ answer: devnet.call, chainName: devnet.chainName, now, produceBlock })
  const packages = await installRegistries(sender, { signer, account: signer.accountHash })
  for (const feed of feeds) {
    const metadata = feedMetadata(feed)
    await sendOrThrow(sender, {
      signer,
      target: { packageHash: packages.FeedRegistry, entryPoint: 'register_feed' },
      args: registerArguments(feed.feed_id, metadata),
      paymentMotes: registerPaymentMotes(feed.feed_id, metadata),
    })
  }
  return { devnet, packages }
}
