import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'

/** An account's named keys, by `state_get_account_info`. The account must exist. */
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
