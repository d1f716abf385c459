/**
 * How deep JSON may be nested. On chain a CLType has at most 50 levels, each of which takes up to two in JSON, as in
 * `{"Map":{"key":…}}`, and at most 14 stand around it: those of a contract that a transaction wrote, in its effects.
 */
const MAX_DEPTH = 128

/**
 * How many members all objects of an answer may have together: new names are what costs JSON.parse most. A switch
 * block of 1,000 validators has fewer than 7,000.
 */
const MAX_MEMBERS = 16_384

/**
 * Why a JSON text is not to be parsed, or null: parsing holds up everything else, for seconds where a text is all
 * brackets. Strings, most of every answer, are skipped.
 */
export function jsonExcess(text: string, maxMembers = MAX_MEMBERS): string | null {
  let depth = 0
  let members = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '"') index = endOfString(text, index)
    if (character === '{' || character === '[') depth += 1
    if (character === '}' || character === ']') depth -= 1
    if (character === ':') members += 1
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`
    if (members > maxMembers) return `larger than ${maxMembers} members`
  }
  return null
}

/** Where the string ends that begins at `start`: at a quote with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  let end = start
  let next = 0
  do {
    end = text.indexOf('"', end + 1)
    for (next = end; text[next - 1] === '\\'; ) next -= 1
  } while ((end - next) % 2 === 1)
  return end < 0 ? text.length : end
}
