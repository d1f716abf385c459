/** Characters that move the cursor, color the screen, change the reading direction or are invisible. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Escapes untrusted text for a terminal or a language model: line breaks, control characters and invisible ones. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/**
 * Formats JSON for a page or a file that people read. Untrusted characters that are invisible or change the reading direction are
 * JSON escapes, and so are those that could end an element of HTML.
 */
export const printableJson = (data: object): string =>
  JSON.stringify(data).replace(/[<>&]/g, escapeUnits).replace(unprintable, escapeUnits)

/** JSON escapes the two units of a character above U+FFFF one by one. */
const escapeUnits = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
