import {
  type Difference,
  type FeedConfig,
  feedMetadata,
  listDifferences,
} from '../../../agent/feeds/feedConfig.ts'
import type { Rpc } from '../../../casper/rpc/rpc.ts'
import { assertLane } from '../../../casper/transaction/lane.ts'
import type { Signer } from '../../../casper/transaction/signer.ts'
import { type Arguments, countArgumentBytes } from '../../../casper/types/arguments.ts'
import type { Client } from '../../../client/createClient.ts'
import type { Snapshot } from '../../../client/snapshot.ts'
import { defineError } from '../../../defineError.ts'
import { WattfeedError } from '../../../errors.ts'
import { PackageNotFoundError } from '../../../odra/contract.ts'
import { readAddress } from '../../../odra/field.ts'
import { registerArguments } from '../../../registry/calls.ts'
import type { Feed } from '../../../registry/feed.ts'
import { feedRegistryFields } from '../../../registry/layout.ts'
import { readContractState } from '../../contracts/contractState.ts'
import { type Gate, openGate } from '../../eligibility/gate.ts'

export type RegistrationReason = 'other_claimant' | 'no_gate' | 'unknown_gate' | 'not_eligible' | 'rescales'

const RegistrationError = defineError(
  'RegistrationError',
  'registration',
  (facts: { reason: RegistrationReason; message: string }) => facts.message,
)

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

export interface RegistrationPlan {
  args: Arguments
  paymentMotes: bigint
  /** Whether nobody has registered the feed yet, so that it has no values. */
  isNew: boolean
}

/** A feed and its plan: null if nothing needs to be sent, an error if it would be rejected. */
export interface Planned {
  config: FeedConfig
  plan: RegistrationPlan | WattfeedError | null
  /** The changes by registering it; null if it is not registered yet. */
  differences: readonly Difference[] | null
}

/** Codes of the errors that concern one feed. Others end the command. */
const REFUSALS = new Set(['registration', 'no_lane', 'argument'])

/** Reads a feed from the chain, and plans its registration. */
export async function planOrRefusal(planning: Planning, config: FeedConfig): Promise<Planned> {
  const onChain = await readOnChain(planning, config)
  const { differences } = onChain
  try {
    return { config, plan: await planRegistration(planning, config, onChain), differences }
  } catch (error) {
    if (error instanceof WattfeedError && REFUSALS.has(error.code))
      return { config, plan: error, differences }
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
  return { ...createCall(planning, config), isNew: claimant === null }
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

async function assertEligible(planning: Planning, stateRootHash: string): Promise<void> {
  const { accountHash } = planning.signer
  const packageHash = await readGatePackageHash(planning, stateRootHash)
  const gate = await openKnownGate(planning, packageHash)
  if (await gate.isEligible(accountHash.replace('account-hash-', ''))) return
  throw new RegistrationError({
    reason: 'not_eligible',
    message: `${accountHash} may not register new feeds: it is not eligible at the gate hash-${packageHash}; claim eligibility with "bun run eligibility"`,
  })
}

async function readGatePackageHash(
  { rpc, feedRegistryPackageHash }: Planning,
  stateRootHash: string,
): Promise<string> {
  const registry = await readContractState(rpc, 'FeedRegistry', feedRegistryPackageHash, stateRootHash)
  const gate = await registry.read(feedRegistryFields.eligibility_gate, 'eligibility_gate', readAddress)
  if (gate?.startsWith('hash-')) return gate.slice('hash-'.length)
  throw new RegistrationError({
    reason: 'no_gate',
    message: `the FeedRegistry hash-${feedRegistryPackageHash} has no eligibility gate, so nobody may register new feeds; its owner sets one with "contracts wire"`,
  })
}

/** Opens the gate. If it cannot be read, nothing is sent: a rejection would lose the payment. */
async function openKnownGate({ rpc }: Planning, packageHash: string): Promise<Gate> {
  try {
    return await openGate(rpc, packageHash)
  } catch (error) {
    if (!(error instanceof PackageNotFoundError)) throw error
    throw new RegistrationError({
      reason: 'unknown_gate',
      message: `cannot read whether the account may register new feeds: ${error.message}`,
    })
  }
}

/** An upper bound of a transaction's size without its arguments. */
const ENVELOPE_BYTES = 1_000

function createCall({ paymentMotes: given }: Planning, config: FeedConfig): Omit<RegistrationPlan, 'isNew'> {
  const metadata = feedMetadata(config)
  const args = registerArguments(config.feed_id, metadata)
  const paymentMotes = given ?? registerPaymentMotes(config.feed_id, metadata)
  const argumentBytes = countArgumentBytes(args)
  assertLane('call', { paymentMotes, argumentBytes, transactionBytes: ENVELOPE_BYTES + argumentBytes })
  return { args, paymentMotes }
}

const SHORT_PAYMENT_MOTES = 2_500_000_000n
const LONG_PAYMENT_MOTES = 5_000_000_000n

const MAX_SHORT_DESCRIPTION = 290

/** Enough for such a description and all other texts, with a margin. */
const MAX_SHORT_ARGUMENT_BYTES = 640

/**
 * Returns the payment for registering a feed, in motes: 2.5 CSPR, or 5 CSPR if the description is longer than 290
 * characters or all texts together are unusually long. Registering a typical feed consumes up to 1.6 CSPR, and 0.00135
 * per extra byte, several times that in an id; running out of gas loses the whole payment.
 */
export function registerPaymentMotes(feedId: string, feed: Feed): bigint {
  const isLong =
    feed.description.length > MAX_SHORT_DESCRIPTION ||
    countArgumentBytes(registerArguments(feedId, feed)) > MAX_SHORT_ARGUMENT_BYTES
  return isLong ? LONG_PAYMENT_MOTES : SHORT_PAYMENT_MOTES
}
