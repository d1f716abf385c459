import type { RpcAnswer } from '@wattfeed/casper-devnet'

/** A recorded call to a node with its response: a line of a recording. */
export type Exchange = {
  method: string
  params?: unknown
  status: number
  /** Describes the item that was read. */
  note?: string
} & RpcAnswer

/**
 * Returns the same text for equivalent calls: key order and `null` parameters do not matter, and the state root defaults
 * to `stateRootHash`.
 */
export function canonicalCall(method: string, params: unknown, stateRootHash: string): string {
  const given = Object(withoutNulls(isEmpty(params) ? {} : params))
  return `${method} ${canonicalJson({ ...defaults(method, stateRootHash), ...given })}`
}

function defaults(method: string, stateRootHash: string): object {
  if (method === 'query_global_state') return { state_identifier: { StateRootHash: stateRootHash }, path: [] }
  if (method === 'state_get_dictionary_item') return { state_root_hash: stateRootHash }
  return {}
}

const isEmpty = (params: unknown): boolean =>
  params === undefined || params === null || (Array.isArray(params) && params.length === 0)

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])),
  )
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? sortedKeys(item) : item,
  )
}

function sortedKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
