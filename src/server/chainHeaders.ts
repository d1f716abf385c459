import { formatEtag } from './etag.ts'
import { jsonHeaders } from './jsonResponse.ts'

/** ETag and headers of the answers of one state root. */
export interface ChainHeaders {
  readonly etag: string
  readonly headers: Headers
}

/**
 * Makes the headers of answers read at a state root, once per root while it stays the same.
 *
 * @example
 * ```ts
 * const chainHeaders = createChainHeaders()
 * const { etag, headers } = chainHeaders(at.stateRootHash)
 * ```
 */
export function createChainHeaders(): (stateRootHash: string) => ChainHeaders {
  let lastHash: string | null = null
  let last: ChainHeaders | null = null
  return (stateRootHash) => {
    if (last !== null && lastHash === stateRootHash) return last
    const etag = formatEtag(stateRootHash)
    lastHash = stateRootHash
    last = { etag, headers: jsonHeaders({ etag, 'x-casper-state-root': stateRootHash }) }
    return last
  }
}
