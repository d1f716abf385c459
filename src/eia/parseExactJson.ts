import { memberAt } from '../bytes/memberAt.ts'

/**
 * Parses JSON with every number as the text that stood there, because a double would round it; every text
 * goes through `mapText` as well. Throws a `SyntaxError`, or a `RangeError` where it is nested too deep.
 *
 * @example
 * ```ts
 * import { parseExactJson } from './parseExactJson.ts'
 *
 * parseExactJson('{"value":1.50}') // { value: '1.50' }
 * ```
 */
export function parseExactJson(json: string, mapText: (text: string) => string = (text) => text): unknown {
  return JSON.parse(showsSource ? json : quoteNumbers(json), (_, value: unknown, context?: Context) => {
    if (typeof value === 'string') return mapText(value)
    return typeof value === 'number' ? context?.source : value
  })
}

/** What ECMAScript's JSON.parse hands to its reviver: the text that stood there. */
interface Context {
  source?: string
}

/** Node.js 20 does not. */
const showsSource: boolean = JSON.parse('1', (_, __, context?: Context) => context?.source !== undefined)

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Puts quotes around every number of a JSON text. */
export function quoteNumbers(json: string): string {
  // Text that is not JSON could become JSON by the quotes.
  JSON.parse(json)
  return json.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`))
}

/** A member that is a text, or null where there is none, or an empty one. */
export function textMember(value: unknown, name: string): string | null {
  const text = memberAt(value, name)
  return typeof text === 'string' && text !== '' ? text : null
}
