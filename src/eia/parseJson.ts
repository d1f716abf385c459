/**
 * Parses JSON with every number as the text that stood there, because a double would round it; every text
 * goes through `mapText` as well. Throws a `SyntaxError`, or a `RangeError` where it is nested too deep.
 *
 * Stands on the `source` that ECMAScript's JSON.parse hands to its reviver.
 *
 * @example
 * ```ts
 * import { parseJson } from './parseJson.ts'
 *
 * parseJson('{"value":1.50}', (text) => text) // { value: '1.50' }
 * ```
 */
export function parseJson(json: string, mapText: (text: string) => string): unknown {
  return JSON.parse(json, (_, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'string') return mapText(value)
    if (typeof value !== 'number') return value
    if (context?.source === undefined) throw new TypeError('this runtime hides the digits of JSON numbers')
    return context.source
  })
}

/** A member of a JSON object, or undefined where there is none, or no object. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/** A member that is a text, or null where there is none, or an empty one. */
export function textMember(value: unknown, name: string): string | null {
  const text = member(value, name)
  return typeof text === 'string' && text !== '' ? text : null
}
