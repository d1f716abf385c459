import { expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { formatTable } from '../../src/runtime/formatTable.ts'
import { printable } from '../../src/runtime/printable.ts'

test('default: columns as wide as their widest cell, nothing behind the last one', () => {
  const rows = [
    ['feed', 'value'],
    ['EIA.X', '-'],
    ['A', '', 'behind'],
  ]
  expect(formatTable(rows)).toBe('feed   value\nEIA.X  -\nA             behind')
})

test('default: no rows are no text', () => {
  expect(formatTable([])).toBe('')
})

test.each([
  ['an escape sequence', '\u001b[2J', '\\u{1b}[2J'],
  ['a line break', 'a\r\nb', 'a\\u{d}\\u{a}b'],
  ['a turn of direction', '\u202egnp', '\\u{202e}gnp'],
  ['a line separator', '\u2028', '\\u{2028}'],
  ['a lone surrogate', '\ud800', '\\u{d800}'],
  ['text', '°F €/MWh 日本', '°F €/MWh 日本'],
])('behavior: printable %s', (_, text, printed) => {
  expect(printable(text)).toBe(printed)
})

test('behavior: for any content of cells, a row is one line', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ unit: anyCharacter })), { minLength: 1 }), (rows) => {
      const lines = formatTable(rows).split(/\r\n|[\n\r\u2028\u2029\u0085]/)
      expect(lines).toHaveLength(rows.length)
    }),
  )
})
