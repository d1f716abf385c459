import { countArgumentBytes } from '../../casper/types/arguments.ts'
import { registerArguments } from '../../registry/calls.ts'
import type { Feed } from '../../registry/feed.ts'

const SHORT_PAYMENT_MOTES = 2_500_000_000n
const LONG_PAYMENT_MOTES = 5_000_000_000n

const LONGEST_SHORT_DESCRIPTION = 290

/** Room for such a description and all the other texts, also where they are not as short as usual. */
const MOST_SHORT_ARGUMENT_BYTES = 640

/**
 * What registering a feed pays, in motes: 2.5 CSPR, and 5 CSPR where the description is longer than 290 characters
 * or all texts together are unusually long. Registering a usual feed consumes up to 1.5 CSPR and each byte more
 * 0.00135, several times that in an id; what runs out of gas loses its whole payment.
 */
export function registerPaymentMotes(feedId: string, feed: Feed): bigint {
  const isLong =
    feed.description.length > LONGEST_SHORT_DESCRIPTION ||
    countArgumentBytes(registerArguments(feedId, feed)) > MOST_SHORT_ARGUMENT_BYTES
  return isLong ? LONG_PAYMENT_MOTES : SHORT_PAYMENT_MOTES
}
