/**
 * Maximum nesting depth of JSON. A CLType has at most 50 levels, each of up to two JSON levels (`{"Map":{"key":…}}`). A
 * contract in a transaction's effects adds 14 levels around it.
 */
const MAX_DEPTH = 128

/**
 * Maximum number of members of all objects together, because new names are the most expensive part of JSON.parse. A
 * switch block of 1,000 validators has fewer than 7,000.
 */
const MAX_MEMBERS = 16_384

/**
 * Returns the limit that a JSON text exceeds, or null if it is safe to parse. Parsing blocks the event loop, for seconds
 * if the text consists of brackets.
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
    if (members > maxMembers) return `larger than ${maxMembers} object members`
  }
  return null
}

/** Returns the index of the closing quote, which is the next one after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (isEscaped(text, end))
  return end < 0 ? text.length : end
}

function isEscaped(text: string, end: number): boolean {
  let start = end
  while (text[start - 1] === '\\') start -= 1
  return (end - start) % 2 === 1
}
