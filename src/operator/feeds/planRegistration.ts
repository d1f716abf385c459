import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { feedMetadata, listDifferences } from '../../agent/feeds/feedMetadata.ts'
import { registerArguments } from '../../agent/registerArguments.ts'
import { type Arguments, countArgumentBytes } from '../../casper/transaction/arguments.ts'
import { assertLane } from '../../casper/transaction/lane.ts'
import { readAddress } from '../../casper/types/address.ts'
import { PackageNotFoundError } from '../../odra/contract.ts'
import { fieldsOf, readContractState } from '../contracts/contractState.ts'
import { type Gate, openGate } from '../eligibility/gate.ts'
import { registerPaymentMotes } from './registerPayment.ts'
import type { Registration } from './registration.ts'
import { RegistrationError } from './registrationError.ts'

/** What a registration would send. */
export interface RegistrationPlan {
  args: Arguments
  paymentMotes: bigint
}

/** More than what a transaction carries beside its arguments. */
const ENVELOPE_BYTES = 1_000

/**
 * What has to be sent so that the chain has a feed as it is configured; null where it has.
 *
 * Throws a `RegistrationError` where the contract would refuse it, and a `NoLaneError` or `ArgumentError` where the
 * network would.
 */
export async function planRegistration(
  registration: Registration,
  config: FeedConfig,
): Promise<RegistrationPlan | null> {
  const at = await registration.client.snapshot()
  const [feed, claimant] = await Promise.all([at.getFeed(config.feed_id), at.getClaimant(config.feed_id)])
  if (feed && listDifferences(config, feed).length === 0) return null
  if (claimant === null) await assertEligible(registration, at.stateRootHash)
  else assertClaimant(config.feed_id, claimant, registration.signer.accountHash)
  return createPlan(registration, config)
}

function createPlan({ paymentMotes: given }: Registration, config: FeedConfig): RegistrationPlan {
  const metadata = feedMetadata(config)
  const args = registerArguments(config.feed_id, metadata)
  const paymentMotes = given ?? registerPaymentMotes(config.feed_id, metadata)
  const argumentBytes = countArgumentBytes(args)
  assertLane('call', { paymentMotes, argumentBytes, transactionBytes: ENVELOPE_BYTES + argumentBytes })
  return { args, paymentMotes }
}

function assertClaimant(feedId: string, claimant: string, accountHash: string): void {
  if (claimant !== accountHash)
    throw new RegistrationError(
      'other_claimant',
      `${feedId} belongs to ${claimant}, and the key is that of ${accountHash}; give the feed another id`,
    )
}

/** New feeds are registered by whom the FeedRegistry's gate says is eligible. */
async function assertEligible(registration: Registration, stateRootHash: string): Promise<void> {
  const { accountHash } = registration.signer
  const packageHash = await readGatePackageHash(registration, stateRootHash)
  const gate = await openKnownGate(registration, packageHash)
  if (await gate.isEligible(accountHash.replace('account-hash-', ''))) return
  throw new RegistrationError(
    'not_eligible',
    `${accountHash} may not register new feeds: it is not eligible at the gate hash-${packageHash}; "bun run eligibility" makes it so`,
  )
}

async function readGatePackageHash(
  { rpc, feedRegistryPackageHash }: Registration,
  stateRootHash: string,
): Promise<string> {
  const registry = await readContractState(rpc, 'FeedRegistry', feedRegistryPackageHash, stateRootHash)
  const gate = await registry.read(fieldsOf.FeedRegistry.eligibilityGate, 'eligibility_gate', readAddress)
  if (gate?.startsWith('hash-')) return gate.slice('hash-'.length)
  throw new RegistrationError(
    'no_gate',
    `the FeedRegistry hash-${feedRegistryPackageHash} has no eligibility gate, so nobody may register new feeds; its owner sets one with "contracts wire"`,
  )
}

/** Payments are lost where the gate says no: one that cannot be read is not tried. */
async function openKnownGate({ rpc }: Registration, packageHash: string): Promise<Gate> {
  try {
    return await openGate(rpc, packageHash)
  } catch (error) {
    if (!(error instanceof PackageNotFoundError)) throw error
    throw new RegistrationError(
      'unknown_gate',
      `whether the account may register new feeds cannot be read: ${error.message}`,
    )
  }
}
