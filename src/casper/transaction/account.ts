import { DecodeError } from '../../bytes/cursor.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'

const PURSE_NOT_FOUND = -32026

/** Returns an account's balance in motes, by `query_balance`; null if the chain does not know the account. */
export function getBalance(rpc: Rpc, publicKey: string, signal?: AbortSignal): Promise<bigint | null> {
  return rpc.call<bigint | null>({
    method: 'query_balance',
    params: { purse_identifier: { main_purse_under_public_key: publicKey } },
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

/** Returns the named keys of an existing account, by `state_get_account_info`. */
export function getNamedKeys(
  rpc: Rpc,
  publicKey: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  return rpc.call({
    method: 'state_get_account_info',
    params: { account_identifier: publicKey },
    signal,
    decode(result) {
      const account = isRecord(result) ? result.account : undefined
      if (!isRecord(account) || !Array.isArray(account.named_keys))
        throw new DecodeError('state_get_account_info', 'there are no named keys')
      return new Map(account.named_keys.map(namedKey))
    },
  })
}

function namedKey(entry: unknown): [string, string] {
  if (isRecord(entry) && typeof entry.name === 'string' && typeof entry.key === 'string')
    return [entry.name, entry.key]
  throw new DecodeError('state_get_account_info', 'a named key lacks its name or key')
}
