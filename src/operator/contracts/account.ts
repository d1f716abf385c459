import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getBalance } from '../../casper/transaction/getBalance.ts'
import { getNamedKeys } from '../../casper/transaction/getNamedKeys.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { formatCspr } from './cspr.ts'
import { PreflightError } from './preflightError.ts'

/** What an account has. */
export interface Account {
  balanceMotes: bigint
  namedKeys: ReadonlyMap<string, string>
}

/** Reads the signer's account. Throws a `PreflightError` where the chain does not know it. */
export async function readAccount(rpc: Rpc, { publicKey, accountHash }: Signer): Promise<Account> {
  const balanceMotes = await getBalance(rpc, publicKey)
  if (balanceMotes === null)
    throw new PreflightError(
      'no_account',
      `the chain does not know ${accountHash} (public key ${publicKey}); send it CSPR first`,
    )
  return { balanceMotes, namedKeys: await getNamedKeys(rpc, publicKey) }
}

/** Throws a `PreflightError` unless the account can pay for everything that is to be sent. */
export function assertBalance({ balanceMotes }: Account, neededMotes: bigint): void {
  if (balanceMotes < neededMotes)
    throw new PreflightError(
      'balance',
      `the account has ${formatCspr(balanceMotes)}, and the payments come to ${formatCspr(neededMotes)}; send it ${formatCspr(neededMotes - balanceMotes)} more`,
    )
}
