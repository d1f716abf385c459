import { describe, expect, test } from 'bun:test'
import { memberAt } from '../../src/bytes/memberAt.ts'

describe('memberAt', () => {
  test('default: the member at a path of names', () => {
    const value = { a: { b: [{ c: null }] } }
    expect(memberAt(value)).toBe(value)
    expect(memberAt(value, 'a')).toBe(value.a)
    expect(memberAt(value, 'a', 'b', '0', 'c')).toBeNull()
  })

  test('behavior: undefined if a name is missing', () => {
    expect(memberAt({ a: { b: 1 } }, 'a', 'c')).toBeUndefined()
    expect(memberAt({ a: { b: 1 } }, 'c', 'b')).toBeUndefined()
    expect(memberAt({ a: null }, 'a', 'b')).toBeUndefined()
  })

  test('behavior: own members only', () => {
    for (const value of [null, undefined, 'text', 5, [], {}])
      expect(memberAt(value, 'constructor')).toBeUndefined()
  })
})
