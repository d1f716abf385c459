import { decodeHex } from '@wattfeed/base'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseDuration } from '../types/duration.ts'
import { members, text } from '../types/jsonField.ts'

/** The `max_ttl` of the public networks. */
export const MAX_LIFETIME_MS = 2 * 60 * 60_000

const utf8 = new TextDecoder()

/**
 * Returns the longest lifetime of a transaction that the chain allows, in milliseconds, by `info_get_chainspec`. If a node
 * does not offer that method, it is that of the public networks.
 */
export function readMaxLifetime(rpc: Rpc): Promise<number> {
  return rpc.call<number>({
    method: 'info_get_chainspec',
    params: {},
    decode(result) {
      const chainspec = members(result, 'info_get_chainspec')('chainspec_bytes', members)
      const toml = utf8.decode(decodeHex(chainspec('chainspec_bytes', text), 'chainspec_bytes'))
      const [, maxTtl] = /^max_ttl\s*=\s*['"]([^'"]*)['"]/m.exec(toml) ?? []
      return maxTtl === undefined ? MAX_LIFETIME_MS : parseDuration(maxTtl)
    },
    refused(error) {
      if (error instanceof JsonRpcError && error.rpcCode === METHOD_NOT_FOUND) return MAX_LIFETIME_MS
      throw error
    },
  })
}

const METHOD_NOT_FOUND = -32601
