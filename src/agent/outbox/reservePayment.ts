import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getBalance } from '../../casper/transaction/account.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { WattfeedError } from '../../errors.ts'
import type { InFlight, Outgoing } from './inFlight.ts'

/** The account cannot pay for a transaction beside those that are on their way. Nothing was sent. */
export class BalanceError extends WattfeedError {
  static override readonly name = 'BalanceError'
  readonly code = 'balance'
  readonly retryable = false

  constructor(
    /** `account-hash-…` */
    readonly accountHash: string,
    /** Null where the chain does not know the account. */
    readonly balanceMotes: bigint | null,
    /** What everything on its way pays, with this transaction. */
    readonly neededMotes: bigint,
  ) {
    const has = balanceMotes === null ? 'is not known to the chain' : `has ${balanceMotes} motes`
    super(`${accountHash} ${has}, and what is on its way pays ${neededMotes} motes; send CSPR to the account`)
  }
}

/** Who pays, and what is on its way already. */
export interface Payer {
  readonly rpc: Rpc
  readonly signer: Signer
  readonly inFlight: InFlight
  readonly signal?: AbortSignal | undefined
}

/**
 * Sets a transaction's payment aside, by `query_balance`.
 *
 * Throws a {@link BalanceError} unless the account has enough for it and for everything else in flight.
 */
export async function reservePayment(
  { rpc, signer, inFlight, signal }: Payer,
  outgoing: Outgoing,
  paymentMotes: bigint,
): Promise<void> {
  for (;;) {
    const gone = inFlight.gone()
    const balanceMotes = await getBalance(rpc, signer.publicKey, signal)
    // Where another one was settled meanwhile, the balance may be from before that was paid.
    if (inFlight.gone() !== gone) continue
    const neededMotes = inFlight.totalMotes() + paymentMotes
    if (balanceMotes === null || balanceMotes < neededMotes)
      throw new BalanceError(signer.accountHash, balanceMotes, neededMotes)
    outgoing.paymentMotes = paymentMotes
    return
  }
}
