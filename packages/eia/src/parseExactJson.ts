import { memberAt } from '@wattfeed/base'

/**
 * Parses JSON with every number as its original text, because a double would round it. Every text passes through `mapText`.
 * Throws a `SyntaxError`, or a `RangeError` if the nesting is too deep.
 */
export function parseExactJson(json: string, mapText: (text: string) => string = (text) => text): unknown {
  return JSON.parse(showsSource ? json : quoteNumbers(json), (_, value: unknown, context?: Context) => {
    if (typeof value === 'string') return mapText(value)
    return typeof value === 'number' ? context?.source : value
  })
}

/** The third argument of a JSON.parse reviver: the original text. */
interface Context {
  source?: string
}

/** Node.js 20 does not pass it. */
const showsSource: boolean = JSON.parse('1', (_, __, context?: Context) => context?.source !== undefined)

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Puts quotes around every number of a JSON text. */
export function quoteNumbers(json: string): string {
  // The quotes could turn invalid text into valid JSON.
  JSON.parse(json)
  return json.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`))
}

/** A member that is a non-empty text, or null. */
export function textMember(value: unknown, name: string): string | null {
  const text = memberAt(value, name)
  return typeof text === 'string' && text !== '' ? text : null
}
