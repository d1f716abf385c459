import { createCursor } from '@wattfeed/base'
import { type NamedArgument, readU512 } from '@wattfeed/casper/types'
import { handlePaymentStatus } from './apiErrors.ts'
import { decodeInput, revertError } from './executionError.ts'
import { isSamePurse } from './purse.ts'

/** What a call does with motes. A call starts with what its caller has left. */
export interface PurseUse {
  /** The motes that may still leave the sender's main purse. */
  approvedMotes: bigint
  /** The purse for payments, which code must not store or pass on; null until the code asks for it. */
  paymentPurse: Uint8Array | null
}

/** Returns the argument `amount` of a transaction, which limits the motes that leave its main purse; 0 if it is not a number. */
export function approvedMotes(args: readonly NamedArgument[]): bigint {
  const amount = args.find(({ name }) => name === 'amount')
  if (amount === undefined) return 0n
  return decodeInput(() => {
    const cursor = createCursor(amount.bytes, 'CLValue')
    const motes = amount.clType === 'U512' ? readU512(cursor) : amount.clType === 'U64' ? cursor.u64() : null
    if (motes !== null) cursor.end()
    return motes ?? 0n
  }, 'CLValue error')
}

/** @throws {ExecutionError} for the payment purse, which code must not store or pass on */
export function assertNotPaymentPurse({ paymentPurse }: PurseUse, uref: Uint8Array): void {
  if (paymentPurse !== null && isSamePurse(paymentPurse, uref))
    throw revertError(handlePaymentStatus(ATTEMPT_TO_PERSIST_PAYMENT_PURSE))
}

/** One of the node's `handle_payment::Error`. */
const ATTEMPT_TO_PERSIST_PAYMENT_PURSE = 40
