import { printable } from '../../runtime/printable.ts'

const REPLACEMENT = '\u{fffd}'

/** Characters that XML does not allow, even escaped. */
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

/** Formats an untrusted text for SVG, XML and HTML: escaped, with visible control characters. */
export const formatXmlText = (text: string): string =>
  Bun.escapeHTML(printable(text).replace(illegal, REPLACEMENT))

const NARROW = " .,:;'|!()[]/- f i j l r t I"

/** Widths of characters in the font size, of a usual sans-serif font; wider than most, so that a text rather fits. */
function widthOf(character: string): number {
  if (character > '\u{2e80}') return 1.05
  if (NARROW.includes(character)) return 0.36
  if (/[A-Zmw%@&—…]/.test(character)) return 0.74
  return 0.58
}

/** Estimates the width of a text in pixels. */
export const estimateWidth = (text: string, fontSize: number): number =>
  [...text].reduce((sum, character) => sum + widthOf(character), 0) * fontSize

/** In UTF-16 units. A longer text fits into no chart. */
const MAX_LENGTH = 400

/** Cuts a text with an ellipsis, so that it fits. */
export function fitText(text: string, fontSize: number, width: number): string {
  if (text.length <= MAX_LENGTH && estimateWidth(text, fontSize) <= width) return text
  const characters = [...text.slice(0, MAX_LENGTH)]
  while (characters.length > 1 && estimateWidth(`${characters.join('')}…`, fontSize) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}
