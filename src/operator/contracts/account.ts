import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getBalance, getNamedKeys } from '../../casper/transaction/account.ts'
import type { TransactionTerms } from '../../casper/transaction/createTransaction.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { WattfeedError } from '../../errors.ts'
import { formatCspr } from '../amounts.ts'

/** Why nothing was sent. */
export type PreflightReason =
  | 'no_account'
  | 'balance'
  | 'not_owner'
  | 'old_version'
  | 'locked'
  | 'no_access'
  | 'not_installed'
  | 'deployment_file'

/** A transaction would fail, so it was not sent. */
export class PreflightError extends WattfeedError {
  static override readonly name = 'PreflightError'
  readonly code = 'preflight'
  readonly retryable = false

  constructor(
    readonly reason: PreflightReason,
    message: string,
  ) {
    super(message)
  }
}

/** An account's balance and named keys. */
export interface Account {
  balanceMotes: bigint
  namedKeys: ReadonlyMap<string, string>
}

/** Reads the signer's account. @throws {PreflightError} if the chain does not know it. */
export async function readAccount(rpc: Rpc, { publicKey, accountHash, initiator }: Signer): Promise<Account> {
  const balanceMotes = await getBalance(rpc, initiator)
  if (balanceMotes === null)
    throw new PreflightError(
      'no_account',
      `the chain does not know ${accountHash} (public key ${publicKey}); send it CSPR first`,
    )
  return { balanceMotes, namedKeys: await getNamedKeys(rpc, initiator) }
}

/**
 * Asserts that the account can pay for everything to be sent, at the highest gas price that is tolerated.
 *
 * @throws {PreflightError}
 */
export function assertBalance(
  { balanceMotes }: Account,
  paymentMotes: bigint,
  { gasPriceTolerance = 1 }: Partial<TransactionTerms>,
): void {
  const neededMotes = paymentMotes * BigInt(gasPriceTolerance)
  if (balanceMotes < neededMotes)
    throw new PreflightError(
      'balance',
      `the account has ${formatCspr(balanceMotes)}, and the payments come to ${formatCspr(neededMotes)}; send it ${formatCspr(neededMotes - balanceMotes)} more`,
    )
}
