import type { Rpc } from '@wattfeed/casper'
import type { Signer } from '@wattfeed/casper/transaction'
import pLimit from 'p-limit'
import type { Client, Snapshot } from 'wattfeed'
import { type FeedConfig, feedMetadata, listDifferences } from '../../feeds/file/feedConfig.ts'
import { typedProgram } from '../../runtime/isFromSource.ts'
import { CLAIM_PAYMENT_MOTES } from '../eligibility/submitClaim.ts'
import { assertEligible } from '../feeds/register/assertEligible.ts'
import { registerPaymentMotes } from '../feeds/register/registerPayment.ts'
import { plural } from '../plural.ts'
import { type Finding, failed, hasFailed, orFailed, passed, warned } from './finding.ts'

/** Feeds read at once, as `feeds list` does. */
const CONCURRENCY = 16
const MAX_NAMED = 3

/** A configured feed, and who may attest to it; null if nobody has registered it. */
interface Claimed {
  readonly feedId: string
  readonly claimant: string | null
  readonly differs: boolean
  /** What registering it pays, in motes. */
  readonly paymentMotes: bigint
}

/** What the account has still to register, and what the checks of feeds found. */
export interface FeedsCheck {
  readonly findings: readonly Finding[]
  /** What registering the missing feeds pays, and the claim of eligibility, in motes. */
  readonly aheadMotes: bigint
}

/** Checks that this account may register the configured feeds that nobody has registered, and may attest to the others. */
export async function checkFeeds(
  { rpc, client }: { rpc: Rpc; client: Client },
  signer: Signer,
  feedRegistryPackageHash: string,
  feeds: readonly FeedConfig[],
): Promise<FeedsCheck> {
  const at = await client.snapshot()
  const claimed = await pLimit(CONCURRENCY).map(feeds, (feed) => readClaimed(at, feed))
  const missing = claimed.filter(({ claimant }) => claimant === null)
  const eligibility = await orFailed('eligibility', async () => {
    if (missing.length === 0)
      return passed('eligibility', 'not needed: every feed of the feeds file is registered')
    await assertEligible({ rpc, signer, feedRegistryPackageHash }, at.stateRootHash)
    return passed('eligibility', 'this account may register feeds')
  })
  const claimMotes = hasFailed(eligibility) ? CLAIM_PAYMENT_MOTES : 0n
  return {
    findings: [...eligibility, claimsOf(claimed, signer.accountHash)],
    aheadMotes: missing.reduce((sum, { paymentMotes }) => sum + paymentMotes, claimMotes),
  }
}

async function readClaimed(at: Snapshot, config: FeedConfig): Promise<Claimed> {
  const { feed_id: feedId } = config
  const [claimant, feed] = await Promise.all([at.getClaimant(feedId), at.getFeed(feedId)])
  const differs = feed !== null && listDifferences(config, feed).length > 0
  return { feedId, claimant, differs, paymentMotes: registerPaymentMotes(feedId, feedMetadata(config)) }
}

function claimsOf(claimed: readonly Claimed[], accountHash: string): Finding {
  const check = 'feeds'
  const foreign = claimed.filter(({ claimant }) => claimant !== null && claimant !== accountHash)
  if (foreign.length > 0)
    return failed(
      check,
      `other accounts registered ${nameFeeds(foreign)}`,
      `use the key of the account that "${typedProgram} feeds claimant" names, or give the feeds other ids`,
    )
  const missing = claimed.filter(({ claimant }) => claimant === null)
  if (missing.length > 0)
    return failed(
      check,
      `nobody registered ${nameFeeds(missing)}`,
      `run "${typedProgram} feeds register --all"`,
    )
  const differing = claimed.filter(({ differs }) => differs)
  if (differing.length > 0)
    return warned(
      check,
      `the chain describes ${nameFeeds(differing)} otherwise than the feeds file`,
      `look at "${typedProgram} feeds list", then run "${typedProgram} feeds register --all"`,
    )
  return passed(check, `${plural(claimed.length, 'feed')} registered by this account`)
}

function nameFeeds(feeds: readonly Claimed[]): string {
  const named = feeds.slice(0, MAX_NAMED).map(({ feedId }) => feedId)
  const more = feeds.length - named.length
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`
}
