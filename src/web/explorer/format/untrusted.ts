/** Maximum length of a shown title in characters. */
export const MAX_TITLE = 120
/** Maximum length of a shown unit in characters. */
export const MAX_UNIT = 24

/** Characters that show nothing, break lines, or change the reading direction. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Prepares an untrusted text for display: makes hidden characters visible, and truncates it to `max` characters. Show it
 * inside `<bdi>`; Preact escapes it.
 */
export function showText(text: string, max: number): string {
  // A character has one or two UTF-16 units, so this holds at least max + 1 characters of a longer text.
  const head = text.slice(0, 2 * (max + 1))
  const characters = [...head]
  const isCut = characters.length > max
  const shown = isCut ? characters.slice(0, max - 1).join('') : head
  const visible = shown.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return isCut ? `${visible}…` : visible
}
