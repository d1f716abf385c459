/** Characters that move the cursor, colour the screen or turn the reading direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** A text from the chain or from upstream for a terminal: on one line, and without characters that act on it. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
