import { DecodeError } from '../../bytes/cursor.ts'
import { WattfeedError } from '../../errors.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
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
    decode(result) {
      const balance = isRecord(result) ? result.balance : undefined
      if (typeof balance === 'string' && /^\d+$/.test(balance)) return BigInt(balance)
      throw new DecodeError('query_balance', 'the balance is not a number in text')
    },
    refused(error) {
      if (error instanceof JsonRpcError && error.rpcCode === PURSE_NOT_FOUND) return null
      throw error
    },
  })
}

/** Returns the named keys of an existing account, by `state_get_account_info`. @param account as for {@link getBalance} */
export function getNamedKeys(
  rpc: Rpc,
  account: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  return getAccount(rpc, account, signal, ({ named_keys: keys }) => {
    if (!Array.isArray(keys)) throw broken('there are no named keys')
    return new Map(keys.map((entry) => [textOf(entry, 'name'), textOf(entry, 'key')]))
  })
}

function getAccount<T>(
  rpc: Rpc,
  account: string,
  signal: AbortSignal | undefined,
  read: (account: Record<string, unknown>) => T,
): Promise<T> {
  return rpc.call({
    method: 'state_get_account_info',
    params: { account_identifier: account },
    signal,
    decode(result) {
      const found = isRecord(result) ? result.account : undefined
      if (!isRecord(found)) throw broken('there is no account')
      return read(found)
    },
  })
}

const broken = (rule: string): DecodeError => new DecodeError('state_get_account_info', rule)

function textOf(entry: unknown, name: string): string {
  const text = isRecord(entry) ? entry[name] : undefined
  if (typeof text === 'string') return text
  throw broken(`an entry lacks its ${name}`)
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
  const { weight, threshold } = await getAccount(rpc, initiator, signal, (account) =>
    weightOf(keyHash, account),
  )
  if (weight < threshold) throw new NotAssociatedError(accountHash, keyHash, weight, threshold)
}

function weightOf(
  keyHash: string,
  { associated_keys: keys, action_thresholds: thresholds }: Record<string, unknown>,
): { weight: number; threshold: number } {
  const threshold = isRecord(thresholds) ? thresholds.deployment : undefined
  if (!Array.isArray(keys) || typeof threshold !== 'number') throw broken('nothing says who may sign')
  const found = keys.find((entry) => textOf(entry, 'account_hash') === keyHash)
  return { weight: isRecord(found) ? Number(found.weight) : 0, threshold }
}
