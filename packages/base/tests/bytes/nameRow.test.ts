import { expect, test } from 'bun:test'
import { nameRow } from '../../src/bytes/nameRow.ts'

test.each([
  [0, [], 'the row at offset 0 (without any of its members)'],
  [
    5,
    [
      ['period', '2026-11-20'],
      ['area', undefined],
      ['process', null],
      ['series', '\ud800"\n'],
    ] as const,
    'the row at offset 5 (period "2026-11-20", process null, series "\\ud800\\"\\n")',
  ],
  [7, [['series', 'x'.repeat(99)]] as const, `the row at offset 7 (series "${'x'.repeat(79)})`],
])('default: at offset %i', (offset, members, name) => {
  expect(nameRow(offset, members)).toBe(name)
})
