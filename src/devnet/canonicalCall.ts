/**
 * A text that is equal for calls that mean the same: key order does not count, and a parameter that
 * is `null` is one that was left out. Without a state root, a call means `stateRootHash`.
 *
 * @example
 * ```ts
 * canonicalCall('info_get_status', null, root) === canonicalCall('info_get_status', {}, root)
 * ```
 */
export function canonicalCall(method: string, params: unknown, stateRootHash: string): string {
  const given = Object(withoutNulls(isEmpty(params) ? {} : params))
  return `${method} ${canonicalJson({ ...defaults(method, stateRootHash), ...given })}`
}

/** The state root that a call names, or `null` where it names none. */
export function stateRootOf(params: unknown): string | null {
  const root =
    member(params, 'state_root_hash') ?? member(member(params, 'state_identifier'), 'StateRootHash')
  return typeof root === 'string' ? root : null
}

/** `value[name]`, or `undefined` where there is no such thing. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function defaults(method: string, stateRootHash: string): object {
  if (method === 'query_global_state') return { state_identifier: { StateRootHash: stateRootHash }, path: [] }
  if (method === 'state_get_dictionary_item') return { state_root_hash: stateRootHash }
  return {}
}

function isEmpty(params: unknown): boolean {
  return params === undefined || params === null || (Array.isArray(params) && params.length === 0)
}

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
