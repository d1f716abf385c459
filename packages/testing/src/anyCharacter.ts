import fc from 'fast-check'

// Code points without the 0x800 halves of a pair, which start here.
const FIRST_HALF = 0xd800
const HALVES = 0x800

/** Any character that UTF-8 can encode. This is fast-check's unit "binary", which takes a second of CPU to build. */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - HALVES })
  .map((index) => String.fromCodePoint(index < FIRST_HALF ? index : index + HALVES), indexOf)

/** Lets fast-check use words such as "__proto__". */
function indexOf(text: unknown): number {
  const point = typeof text === 'string' && [...text].length === 1 ? text.codePointAt(0) : undefined
  if (point === undefined || (point >= FIRST_HALF && point < FIRST_HALF + HALVES))
    throw new Error('not a character')
  return point < FIRST_HALF ? point : point - HALVES
}
