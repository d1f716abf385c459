import { WattfeedError } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import { NoLaneError, type Signer } from '@wattfeed/casper/transaction'
import { ArgumentError } from '@wattfeed/casper/types'
import type { Client, Snapshot } from 'wattfeed'
import { type Difference, type FeedConfig, listDifferences } from '../../../feeds/file/feedConfig.ts'
import type { PlannedTransaction } from '../../assertPlannedLane.ts'
import { assertEligible } from './assertEligible.ts'
import { registerCall } from './registerCall.ts'
import { RegistrationError } from './registrationError.ts'

export interface Planning {
  rpc: Rpc
  client: Client
  signer: Signer
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** The payment of each transaction, in motes; null for the amount that its feed needs. */
  paymentMotes: bigint | null
  /** Whether `decimals` and `unit` of a feed that has values may change, which re-scales them. */
  rescalesHistory: boolean
}

interface RegistrationPlan extends PlannedTransaction {
  /** Whether nobody has registered the feed yet, so that it has no values. */
  isNew: boolean
}

/** The plan of a feed: null if nothing needs to be sent, an error if it would be rejected. */
interface Planned {
  plan: RegistrationPlan | WattfeedError | null
  /** The changes by registering it; null if it is not registered yet. */
  differences: readonly Difference[] | null
}

/** The errors that concern one feed. Others end the command. */
const REFUSALS = [RegistrationError, NoLaneError, ArgumentError]

/** Reads a feed from the chain, and plans its registration. */
export async function planOrRefusal(planning: Planning, config: FeedConfig): Promise<Planned> {
  const onChain = await readOnChain(planning, config)
  const { differences } = onChain
  try {
    return { plan: await planRegistration(planning, config, onChain), differences }
  } catch (error) {
    if (error instanceof WattfeedError && REFUSALS.some((each) => error instanceof each))
      return { plan: error, differences }
    throw error
  }
}

/** A feed on chain, at one state root. */
interface OnChain {
  at: Snapshot
  claimant: string | null
  /** The changes by registering it; null if it is not registered yet. */
  differences: Difference[] | null
}

async function readOnChain({ client }: Planning, config: FeedConfig): Promise<OnChain> {
  const at = await client.snapshot()
  const [feed, claimant] = await Promise.all([at.getFeed(config.feed_id), at.getClaimant(config.feed_id)])
  return { at, claimant, differences: feed && listDifferences(config, feed) }
}

/**
 * Plans the registration of a feed; null if the account has registered it as configured.
 *
 * @throws {RegistrationError} if the contract would reject it, or it would re-scale values.
 * @throws {NoLaneError | ArgumentError} if the network would reject it.
 */
async function planRegistration(
  planning: Planning,
  config: FeedConfig,
  { at, claimant, differences }: OnChain,
): Promise<RegistrationPlan | null> {
  if (claimant !== null) assertClaimant(config.feed_id, claimant, planning.signer.accountHash)
  if (differences?.length === 0) return null
  if (claimant === null) await assertEligible(planning, at.stateRootHash)
  if (!planning.rescalesHistory) await assertSameScale(at, config.feed_id, differences ?? [])
  const { protocolVersion } = planning.client.status()
  return { ...registerCall(planning, config, protocolVersion), isNew: claimant === null }
}

const SCALE: ReadonlySet<string> = new Set(['decimals', 'unit'])

/** Asserts that values on chain keep their meaning: they are amounts, which `decimals` and `unit` scale. */
async function assertSameScale(
  at: Snapshot,
  feedId: string,
  differences: readonly Difference[],
): Promise<void> {
  const scale = differences.filter(({ field }) => SCALE.has(field))
  const count = scale.length === 0 ? 0 : await at.getValueCount(feedId)
  if (count === 0) return
  throw new RegistrationError({
    reason: 'rescales',
    message: `${feedId} has values on chain (${count}), and ${scale.map(formatDifference).join(', ')} would re-scale them; give the feed another id, or pass --rescale-history if that is intended`,
  })
}

/** Formats a change of metadata: `decimals: 2 → 3`, `unit: "MWh" → "GWh"`. */
export const formatDifference = ({ field, on_chain, configured }: Difference): string =>
  `${field}: ${JSON.stringify(on_chain)} → ${JSON.stringify(configured)}`

function assertClaimant(feedId: string, claimant: string, accountHash: string): void {
  if (claimant !== accountHash)
    throw new RegistrationError({
      reason: 'other_claimant',
      message: `${feedId} belongs to ${claimant}, but the key belongs to ${accountHash}; use the claimant's key, or give the feed another id`,
    })
}
