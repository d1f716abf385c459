/** The blank is narrow, too. Those between the letters only keep them from being a word to the spell checker. */
const NARROW = " .,:;'|!()[]/- f i j l r t I"

/** Widths of characters in the font size, of a usual sans-serif font, rounded up, so that the text fits. */
function widthOf(character: string): number {
  if (character > '\u{2e80}') return 1.05
  if (NARROW.includes(character)) return 0.36
  if (/[A-Zmw%@&—…]/.test(character)) return 0.74
  return 0.58
}

/** Estimates the width of a text in pixels. */
export const estimateWidth = (text: string, fontSize: number): number =>
  [...text].reduce((sum, character) => sum + widthOf(character), 0) * fontSize

/** In UTF-16 units. Longer texts fit no chart. */
const MAX_LENGTH = 400

/** Cuts a text with an ellipsis, so that it fits. */
export function fitText(text: string, fontSize: number, width: number): string {
  if (text.length <= MAX_LENGTH && estimateWidth(text, fontSize) <= width) return text
  const characters = [...text.slice(0, MAX_LENGTH)]
  while (characters.length > 1 && estimateWidth(`${characters.join('')}…`, fontSize) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}
