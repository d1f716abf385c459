import { booleanOf, requiredField, uintOf, variantOf } from '../params.ts'
import { encodeCalltable } from './calltable.ts'
import { encodeU64 } from './encode.ts'
import type { Pricing } from './transaction.ts'

const PAYMENT_LIMITED = Uint8Array.of(0)

/** How a TransactionV1 pays, with its bytes. Throws an `InvalidParamsError`. */
export function parsePricing(value: unknown): { pricing: Pricing; bytes: Uint8Array; json: unknown } {
  const { name, content } = variantOf(value, ['PaymentLimited', 'Fixed', 'Prepaid'])
  // Refused before anything asks for its bytes.
  if (name !== 'PaymentLimited') return { pricing: { kind: 'other' }, bytes: new Uint8Array(0), json: value }
  const payment = uintOf(requiredField(content, 'payment_amount'))
  const gasPriceTolerance = uintOf(requiredField(content, 'gas_price_tolerance'), 255)
  const isStandardPayment = booleanOf(requiredField(content, 'standard_payment'))
  const paymentMotes = BigInt(payment)
  return {
    pricing: { kind: 'paymentLimited', paymentMotes, gasPriceTolerance, isStandardPayment },
    bytes: encodeCalltable([
      PAYMENT_LIMITED,
      encodeU64(paymentMotes),
      Uint8Array.of(gasPriceTolerance),
      Uint8Array.of(isStandardPayment ? 1 : 0),
    ]),
    json: {
      PaymentLimited: {
        payment_amount: payment,
        gas_price_tolerance: gasPriceTolerance,
        standard_payment: isStandardPayment,
      },
    },
  }
}
