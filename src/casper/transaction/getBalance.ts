import { DecodeError } from '../../bytes/cursor.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'

const PURSE_NOT_FOUND = -32026

/** What an account can spend, in motes, by `query_balance`; null where the chain does not know the account. */
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
