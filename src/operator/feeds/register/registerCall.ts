import { NoLaneError } from '@wattfeed/casper/transaction'
import { registerArguments } from 'wattfeed/internal'
import { datasetOf, type FeedConfig, feedMetadata, isDataset } from '../../../feeds/file/feedConfig.ts'
import { assertPlannedLane, type PlannedTransaction } from '../../assertPlannedLane.ts'
import { registerPaymentMotes } from './registerPayment.ts'
import { RegistrationError } from './registrationError.ts'

/**
 * Returns the call that registers a feed.
 *
 * @param paymentMotes null for the amount that the feed needs
 * @param protocolVersion of the network, whose lanes must take the call; null for the newest lanes
 * @throws {RegistrationError | NoLaneError | ArgumentError} if the network would reject it.
 */
export function registerCall(
  { feedRegistryPackageHash, paymentMotes }: { feedRegistryPackageHash: string; paymentMotes: bigint | null },
  config: FeedConfig,
  protocolVersion: string | null,
): PlannedTransaction {
  const feed = feedMetadata(config)
  const call = {
    target: { packageHash: feedRegistryPackageHash, entryPoint: 'register_feed' },
    args: registerArguments(config.feed_id, feed),
    paymentMotes: paymentMotes ?? registerPaymentMotes(config.feed_id, feed),
  }
  assertFits(call, config, protocolVersion)
  return call
}

/** @throws {RegistrationError} if the columns of a dataset, which are in its description, make the call too long. */
function assertFits(call: PlannedTransaction, config: FeedConfig, protocolVersion: string | null): void {
  try {
    assertPlannedLane(call, protocolVersion)
  } catch (error) {
    if (!(error instanceof NoLaneError) || !isDataset(config)) throw error
    const { columns } = datasetOf(config)
    throw new RegistrationError({
      reason: 'too_many_columns',
      message: `${config.feed_id} is too long to register, because its description names ${columns.length} columns; leave some out of "columns" in the feeds file ("feeds new" has --columns)`,
    })
  }
}
