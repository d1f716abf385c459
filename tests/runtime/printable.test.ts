import { expect, test } from 'bun:test'
import { printable } from '../../src/runtime/printable.ts'

test('default: visible text stays as it is', () => {
  const text = 'Öl $/bbl — “Brent” 石油 ⛽ \u0301 | `'
  expect(printable(text)).toBe(text)
})

test.each([
  ['a line break', '\n', '\\u{a}'],
  ['an escape of a terminal', '\u001b[31m', '\\u{1b}[31m'],
  ['a reading direction', '\u202e', '\\u{202e}'],
  ['a tag letter', '\u{e0041}', '\\u{e0041}'],
  // Each of the 256 can stand for a byte of hidden text.
  ['a variation selector', '\ufe0f\u{e0100}', '\\u{fe0f}\\u{e0100}'],
  ['a filler letter', '\u3164\u115f', '\\u{3164}\\u{115f}'],
  ['a lone surrogate', '\ud800', '\\u{d800}'],
])('behavior: %s is shown as a code', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})
