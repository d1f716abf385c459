/** Characters that move the cursor, color the screen, change the reading direction or are invisible. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Escapes untrusted text for a terminal or a language model: line breaks, control characters and invisible ones. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Escapes the same characters in JSON, which keeps its content. Line breaks stay, because a JSON text has them between its values only. */
export const printableJson = (json: string): string =>
  json.replace(unprintable, (character) => character.replace(/[^\n]/g, escapeUnit))

export const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
