import { countArgumentBytes } from '@wattfeed/casper/types'
import type { Feed } from 'wattfeed'
import { registerArguments } from 'wattfeed/internal'

export const SHORT_PAYMENT_MOTES = 2_500_000_000n
export const LONG_PAYMENT_MOTES = 5_000_000_000n

/** In UTF-16 units. */
export const MAX_SHORT_DESCRIPTION = 290

/** Enough for a description of `MAX_SHORT_DESCRIPTION` and all other texts, with a margin. */
const MAX_SHORT_ARGUMENT_BYTES = 640

/**
 * Returns the payment for registering a feed, in motes: the long one if the description is not short, or if all texts together
 * are unusually long. Running out of gas loses the whole payment.
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
