import { WattfeedError } from '../../errors.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { amount, type Decode, integer, listOf, members, text } from '../types/jsonField.ts'
import type { Signer } from './signer.ts'

const PURSE_NOT_FOUND = -32026

/**
 * Returns an account's balance in motes, by `query_balance`; null if the chain does not know the account.
 *
 * @param account its public key in hex, or `account-hash-…`
 */
export function getBalance(rpc: Rpc, account: string, signal?: AbortSignal): Promise<bigint | null> {
  const kind = account.startsWith('account-hash-') ? 'account_hash' : 'public_key'
  return rpc.call<bigint | null>({
    method: 'query_balance',
    params: { purse_identifier: { [`main_purse_under_${kind}`]: account } },
    signal,
    decode: (result) => members(result, 'query_balance')('balance', amount),
    refused(error) {
      if (error instanceof JsonRpcError && error.rpcCode === PURSE_NOT_FOUND) return null
      throw error
    },
  })
}

/** More than fit into an answer. */
const MAX_NAMED_KEYS = 16_384

/** Returns the named keys of an existing account, by `state_get_account_info`. @param account as for {@link getBalance} */
export function getNamedKeys(
  rpc: Rpc,
  account: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const namedKey: Decode<[string, string]> = (entry, what) => {
    const of = members(entry, what)
    return [of('name', text), of('key', text)]
  }
  return getAccount(rpc, account, signal, (of) => new Map(of('named_keys', listOf(namedKey, MAX_NAMED_KEYS))))
}

function getAccount<T>(
  rpc: Rpc,
  account: string,
  signal: AbortSignal | undefined,
  read: (of: ReturnType<typeof members>) => T,
): Promise<T> {
  return rpc.call({
    method: 'state_get_account_info',
    params: { account_identifier: account },
    signal,
    decode: (result) =>
      members(result, 'state_get_account_info')('account', (found, what) => read(members(found, what))),
  })
}

/** A key that may not sign for the account of `ATTESTER_ACCOUNT`. Nothing was sent. */
export class NotAssociatedError extends WattfeedError {
  static override readonly name = 'NotAssociatedError'
  readonly code = 'not_associated'
  readonly retryable = false

  constructor(
    /** `account-hash-…` */
    readonly account: string,
    /** The key's own account hash, under which an account lists it: `account-hash-…` */
    readonly key: string,
    /** 0 if it is not associated. */
    readonly weight: number,
    /** What the signatures of a transaction must weigh at least. */
    readonly threshold: number,
  ) {
    super(
      `the key ${key} weighs ${weight} for the account ${account} of ATTESTER_ACCOUNT, whose transactions need ${threshold}; associate it with more weight, or use another key or account`,
    )
  }
}

/**
 * Asserts that a signer's key may sign for its account alone. Makes no call if it is the account's own.
 *
 * @throws {NotAssociatedError}
 */
export async function assertMaySign(
  rpc: Rpc,
  { initiator, accountHash, keyHash }: Signer,
  signal?: AbortSignal,
): Promise<void> {
  if (accountHash === keyHash) return
  const { weight, threshold } = await getAccount(rpc, initiator, signal, (of) => ({
    weight: of('associated_keys', listOf(associatedKey)).find(({ hash }) => hash === keyHash)?.weight ?? 0,
    threshold: of('action_thresholds', (thresholds, what) =>
      members(thresholds, what)('deployment', integer),
    ),
  }))
  if (weight < threshold) throw new NotAssociatedError(accountHash, keyHash, weight, threshold)
}

const associatedKey: Decode<{ hash: string; weight: number }> = (entry, what) => {
  const of = members(entry, what)
  return { hash: of('account_hash', text), weight: of('weight', integer) }
}
