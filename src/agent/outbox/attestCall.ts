import { ArgumentError, type Arguments } from '../../casper/types/arguments.ts'
import { WattfeedError } from '../../errors.ts'
import { attestArguments, attestManyArguments, type NewAttestation } from '../../registry/calls.ts'
import { type BatchOptions, MAX_BATCH } from './batchAttestations.ts'
import { estimateGas } from './estimateGas.ts'
import { paymentOf } from './payment.ts'

/** A call that may consume more than it pays, and would lose its whole payment. It was not sent. */
export class PaymentError extends WattfeedError {
  static override readonly name = 'PaymentError'
  readonly code = 'payment'
  readonly retryable = false

  constructor(
    /** The most gas that the call consumes, in motes. */
    readonly gasMotes: bigint,
    readonly paymentMotes: bigint,
  ) {
    super(
      `the call may consume ${gasMotes} motes, and the payment is ${paymentMotes}; raise PAYMENT_MOTES or shorten the feed id`,
    )
  }
}

/** What a transaction calls, with what. */
export interface AttestCall {
  entryPoint: 'attest' | 'attest_many'
  args: Arguments
  paymentMotes: bigint
}

/**
 * The call of 1 to 5 attestations: `attest` for one, `attest_many` for more.
 *
 * Throws an `ArgumentError` where they cannot be encoded or are too many for one call, and a {@link PaymentError}.
 */
export function createAttestCall(
  attestations: readonly NewAttestation[],
  { offersMany, paymentMotes }: BatchOptions,
): AttestCall {
  const [first] = attestations
  if (first === undefined || attestations.length > (offersMany ? MAX_BATCH : 1))
    throw new ArgumentError(offersMany ? `1 to ${MAX_BATCH} attestations` : 'one attestation')
  const payment = paymentOf(attestations.length, paymentMotes)
  const gasMotes = estimateGas(attestations, offersMany)
  if (gasMotes > payment) throw new PaymentError(gasMotes, payment)
  return attestations.length === 1
    ? { entryPoint: 'attest', args: attestArguments(first), paymentMotes: payment }
    : { entryPoint: 'attest_many', args: attestManyArguments(attestations), paymentMotes: payment }
}
