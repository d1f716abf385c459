import { NoLaneError } from '@wattfeed/casper/transaction'
import { countArgumentBytes } from '@wattfeed/casper/types'
import { datasetOf, type FeedConfig, feedMetadata, isDataset } from '../../../agent/feeds/feedConfig.ts'
import { registerArguments } from '../../../library/registry/calls.ts'
import type { Feed } from '../../../library/registry/feed.ts'
import { assertPlannedLane, type PlannedTransaction } from '../../assertPlannedLane.ts'
import { RegistrationError } from './registrationError.ts'

/**
 * Returns the call that registers a feed.
 *
 * @param paymentMotes null for the amount that the feed needs
 * @throws {RegistrationError | NoLaneError | ArgumentError} if the network would reject it.
 */
export function registerCall(
  { feedRegistryPackageHash, paymentMotes }: { feedRegistryPackageHash: string; paymentMotes: bigint | null },
  config: FeedConfig,
): PlannedTransaction {
  const feed = feedMetadata(config)
  const call = {
    target: { packageHash: feedRegistryPackageHash, entryPoint: 'register_feed' },
    args: registerArguments(config.feed_id, feed),
    paymentMotes: paymentMotes ?? registerPaymentMotes(config.feed_id, feed),
  }
  assertFits(call, config)
  return call
}

/** @throws {RegistrationError} if the columns of a dataset, which are in its description, make the call too long. */
function assertFits(call: PlannedTransaction, config: FeedConfig): void {
  try {
    assertPlannedLane(call)
  } catch (error) {
    if (!(error instanceof NoLaneError) || !isDataset(config)) throw error
    const { columns } = datasetOf(config)
    throw new RegistrationError({
      reason: 'too_many_columns',
      message: `${config.feed_id} is too long to register, because its description names ${columns.length} columns; leave some out of "columns" in the feeds file ("feeds new" has --columns)`,
    })
  }
}

export const SHORT_PAYMENT_MOTES = 2_500_000_000n
export const LONG_PAYMENT_MOTES = 5_000_000_000n

/** In UTF-16 units. */
export const MAX_SHORT_DESCRIPTION = 290

/** Enough for such a description and all other texts, with a margin. */
const MAX_SHORT_ARGUMENT_BYTES = 640

/**
 * Returns the payment for registering a feed, in motes: 2.5 CSPR, or 5 CSPR if the description is longer than 290
 * characters or all texts together are unusually long. Running out of gas loses the whole payment.
 *
 * Registering a typical feed consumes up to 1.6 CSPR, and 0.00135 per extra byte. A byte of an id costs several times that:
 * the id is also listed, part of the event, and hashed to keys.
 *
 * @see src/web/explorer/pages/datasets/cost.ts, which a test keeps equal
 */
export function registerPaymentMotes(feedId: string, feed: Feed): bigint {
  const isLong =
    feed.description.length > MAX_SHORT_DESCRIPTION ||
    countArgumentBytes(registerArguments(feedId, feed)) > MAX_SHORT_ARGUMENT_BYTES
  return isLong ? LONG_PAYMENT_MOTES : SHORT_PAYMENT_MOTES
}
