import { expect, test } from 'bun:test'
import { addNewest } from '../../src/bytes/addNewest.ts'

/** The names in a map of at most three entries, oldest first, after they were added in this order. */
function kept(...names: string[]): string[] {
  const map = new Map<string, string>()
  for (const name of names) addNewest(map, name, name, 3)
  return [...map.keys()]
}

test('default: the newest entries, oldest first', () => {
  expect(kept('a', 'b')).toEqual(['a', 'b'])
  expect(kept('a', 'b', 'c', 'd')).toEqual(['b', 'c', 'd'])
})

test('behavior: an entry that is added again is the newest, and drops no other', () => {
  expect(kept('a', 'b', 'c', 'a')).toEqual(['b', 'c', 'a'])
})
