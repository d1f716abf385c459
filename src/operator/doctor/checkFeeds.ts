import { WattfeedError } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import type { Signer } from '@wattfeed/casper/transaction'
import pLimit from 'p-limit'
import { type FeedConfig, listDifferences } from '../../agent/feeds/feedConfig.ts'
import type { Client } from '../../library/client/createClient.ts'
import type { Snapshot } from '../../library/client/snapshot.ts'
import { assertEligible } from '../feeds/register/assertEligible.ts'
import { plural } from '../plural.ts'
import { type Finding, failed, passed, warned } from './finding.ts'

/** Feeds read at once, as `feeds list` does. */
const CONCURRENCY = 16
const MAX_NAMED = 3

/** A configured feed, and who may attest to it; null if nobody has registered it. */
interface Claimed {
  readonly feedId: string
  readonly claimant: string | null
  readonly differs: boolean
}

/** Checks who may attest to the configured feeds; and that this account may register those that nobody has registered. */
export async function checkFeeds(
  { rpc, client }: { rpc: Rpc; client: Client },
  signer: Signer,
  feedRegistryPackageHash: string,
  feeds: readonly FeedConfig[],
): Promise<readonly Finding[]> {
  const at = await client.snapshot()
  const claimed = await pLimit(CONCURRENCY).map(feeds, (feed) => readClaimed(at, feed))
  const isMissing = claimed.some(({ claimant }) => claimant === null)
  return [
    claimsOf(claimed, signer.accountHash),
    isMissing
      ? await checkEligible({ rpc, signer, feedRegistryPackageHash }, at.stateRootHash)
      : passed('eligibility', 'not needed: every feed of the feeds file is registered'),
  ]
}

async function readClaimed(at: Snapshot, config: FeedConfig): Promise<Claimed> {
  const { feed_id: feedId } = config
  const [claimant, feed] = await Promise.all([at.getClaimant(feedId), at.getFeed(feedId)])
  return { feedId, claimant, differs: feed !== null && listDifferences(config, feed).length > 0 }
}

function claimsOf(claimed: readonly Claimed[], accountHash: string): Finding {
  const check = 'feeds'
  const foreign = claimed.filter(({ claimant }) => claimant !== null && claimant !== accountHash)
  if (foreign.length > 0)
    return failed(
      check,
      `other accounts registered ${nameFeeds(foreign)}`,
      'use the key of the account that "feeds claimant" names, or give the feeds other ids',
    )
  const missing = claimed.filter(({ claimant }) => claimant === null)
  if (missing.length > 0)
    return failed(check, `nobody registered ${nameFeeds(missing)}`, 'run "feeds register --all"')
  const differing = claimed.filter(({ differs }) => differs)
  if (differing.length > 0)
    return warned(
      check,
      `the chain describes ${nameFeeds(differing)} otherwise than the feeds file`,
      'look at "feeds list", then run "feeds register --all"',
    )
  return passed(check, `${plural(claimed.length, 'feed')} registered by this account`)
}

function nameFeeds(feeds: readonly Claimed[]): string {
  const named = feeds.slice(0, MAX_NAMED).map(({ feedId }) => feedId)
  const more = feeds.length - named.length
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`
}

async function checkEligible(
  registrant: Parameters<typeof assertEligible>[0],
  stateRootHash: string,
): Promise<Finding> {
  try {
    await assertEligible(registrant, stateRootHash)
    return passed('eligibility', 'this account may register feeds')
  } catch (error) {
    if (error instanceof WattfeedError) return failed('eligibility', error.message)
    throw error
  }
}
