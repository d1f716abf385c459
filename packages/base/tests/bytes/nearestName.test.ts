import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { editDistance, nearestName } from '../../src/bytes/nearestName.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['flaw', 'lawn', 2],
  ['PORT', 'PORTS', 1],
  ['ab', 'ba', 2],
])('editDistance > default: "%s" to "%s" takes %d', (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits)
})

/** By its definition, without a table. */
const slow = (one: string, other: string): number => {
  if (one === '' || other === '') return Math.max(one.length, other.length)
  const [a, b] = [one.slice(1), other.slice(1)]
  return Math.min(slow(a, b) + Number(one[0] !== other[0]), slow(a, other) + 1, slow(one, b) + 1)
}

test('editDistance > behavior: it is that of the definition', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 })
  fc.assert(fc.property(text, text, (one, other) => editDistance(one, other) === slow(one, other)))
})

test.each([
  ['chain', ['fetch', 'chainName'], 'chainName'],
  ['timeout', ['fetch', 'timeoutMs'], 'timeoutMs'],
  ['x', [], undefined],
])('nearestName > default: "%s" of %p is %p', (name, names, nearest) => {
  expect(nearestName(name, names)).toBe(nearest)
})
