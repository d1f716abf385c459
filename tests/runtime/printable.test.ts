import { expect, test } from 'bun:test'
import { printable, printableJson } from '../../src/runtime/printable.ts'

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

test('default: JSON keeps its content and line breaks, and shows no such character', () => {
  const content = { '\u202e': 'a\n\u2028\u{e0041}\u3164\ud800\\ö"' }
  for (const indent of [0, 1]) {
    const json = printableJson(JSON.stringify(content, null, indent))
    expect([JSON.parse(json), printable(json.replaceAll('\n', ''))]).toEqual([
      content,
      json.replaceAll('\n', ''),
    ])
  }
  expect(printableJson('{\n"ö\u{e0041}": 1\n}\n')).toBe('{\n"ö\\udb40\\udc41": 1\n}\n')
})
