import { defineError } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import { getBalance, getNamedKeys, type Signer, type TransactionTerms } from '@wattfeed/casper/transaction'
import { formatCspr } from './amounts.ts'

type PreflightReason =
  | 'no_account'
  | 'balance'
  | 'not_owner'
  | 'old_version'
  | 'entity'
  | 'locked'
  | 'no_access'
  | 'not_installed'
  | 'deployment_file'
  | 'written'

export const PreflightError = defineError(
  'PreflightError',
  'preflight',
  (facts: { reason: PreflightReason; message: string }) => facts.message,
)
export type PreflightError = InstanceType<typeof PreflightError>

export interface Account {
  balanceMotes: bigint
  namedKeys: ReadonlyMap<string, string>
}

/** Reads the signer's account. @throws {PreflightError} if the chain does not know it. */
export async function readSignerAccount(
  rpc: Rpc,
  { publicKey, accountHash, initiator }: Signer,
): Promise<Account> {
  const balanceMotes = await getBalance(rpc, initiator)
  if (balanceMotes === null)
    throw new PreflightError({
      reason: 'no_account',
      message: `the chain does not know ${accountHash} (public key ${publicKey}); send it CSPR first`,
    })
  return { balanceMotes, namedKeys: await getNamedKeys(rpc, initiator) }
}

/** Asserts that the account can pay for everything to be sent, at the highest gas price that is tolerated. */
export function assertBalance(
  { balanceMotes }: Pick<Account, 'balanceMotes'>,
  paymentMotes: bigint,
  { gasPriceTolerance = 1 }: Partial<TransactionTerms>,
): void {
  const neededMotes = paymentMotes * BigInt(gasPriceTolerance)
  if (balanceMotes < neededMotes)
    throw new PreflightError({
      reason: 'balance',
      message: `the account has ${formatCspr(balanceMotes)}, but the payments come to ${formatCspr(neededMotes)}; send it ${formatCspr(neededMotes - balanceMotes)} more`,
    })
}
