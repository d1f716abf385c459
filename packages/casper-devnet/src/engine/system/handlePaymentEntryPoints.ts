import { accessRights, createUref, hashKey, keyTags } from '@wattfeed/casper/types'
import { handlePaymentStatus } from '../apiErrors.ts'
import { revertError } from '../executionError.ts'
import { balanceOf } from './mint.ts'
import { urefArgument } from './systemArguments.ts'
import type { SystemEntryPoints } from './systemCall.ts'

/** The node's `handle_payment::Error`. */
const handlePaymentErrors = {
  PaymentPurseNotFound: 12,
  SetRefundPurseCalledOutsidePayment: 26,
  GetBalance: 27,
} as const

/** What code can call of the contract that handles payments. Here, all code is session code, which pays nothing itself. */
export const handlePaymentEntryPoints: SystemEntryPoints = {
  get_payment_purse({ caller: { purses }, found }) {
    const key = found.contract.namedKeys.get('payment_purse')
    if (key?.[0] !== keyTags.uref)
      throw revertError(handlePaymentStatus(handlePaymentErrors.PaymentPurseNotFound))
    purses.paymentPurse ??= createUref(key.subarray(1, 33), accessRights.read | accessRights.add)
    return { clType: 'URef', bytes: purses.paymentPurse }
  },
  set_refund_purse({ caller, args }) {
    const purse = urefArgument(args, 'purse')
    const { GetBalance, SetRefundPurseCalledOutsidePayment } = handlePaymentErrors
    const isPurse = balanceOf(caller, purse) !== null
    throw revertError(handlePaymentStatus(isPurse ? SetRefundPurseCalledOutsidePayment : GetBalance))
  },
  get_refund_purse({ caller, found }) {
    // A node looks for the purse among the named keys again.
    caller.execution.state.read(hashKey(found.contractHash))
    return { clType: { Option: 'URef' }, bytes: Uint8Array.of(0) }
  },
}
