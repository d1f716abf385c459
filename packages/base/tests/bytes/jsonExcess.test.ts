import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { jsonExcess } from '../../src/bytes/jsonExcess.ts'

const tooDeep = 'nested deeper than 128 levels'

describe('jsonExcess', () => {
  test('default: null for text that is neither deep nor has many members', () => {
    for (const text of ['', '{}', '[1,{"a":[true]}]', '"[[[["', 'nonsense ] }'])
      expect(jsonExcess(text)).toBeNull()
  })

  test('behavior: 128 levels are allowed, and no more', () => {
    expect(jsonExcess('['.repeat(128) + ']'.repeat(128))).toBeNull()
    expect(jsonExcess('['.repeat(129))).toBe(tooDeep)
    expect(jsonExcess('{"a":'.repeat(129))).toBe(tooDeep)
    expect(jsonExcess('[{"a":'.repeat(65))).toBe(tooDeep)
  })

  test('behavior: siblings do not add depth', () => {
    expect(jsonExcess(`[${'[],{},'.repeat(10_000)}0]`)).toBeNull()
  })

  test('behavior: the content of a string does not count, nor does it end at an escaped quote', () => {
    const brackets = '['.repeat(200)
    for (const text of [brackets, `"${brackets}`, `\\"${brackets}`, `\\\\${brackets}"`, `${brackets}\\`])
      expect(jsonExcess(JSON.stringify([text, text]))).toBeNull()
    expect(jsonExcess(`["\\\\",${brackets}`)).toBe(tooDeep)
    expect(jsonExcess(`["\\\\\\"",${brackets}`)).toBe(tooDeep)
    expect(jsonExcess(`"${brackets}`)).toBeNull()
  })

  test('behavior: members are counted over all objects', () => {
    const objects = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ ':': ':' })))
    expect(jsonExcess(objects(16_384))).toBeNull()
    expect(jsonExcess(objects(16_385))).toBe('larger than 16384 object members')
    expect(jsonExcess(objects(16_385), 20_000)).toBeNull()
  })

  test('behavior: JSON is rejected for its depth alone', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
    const wrap = (value: unknown, levels: number): unknown =>
      levels === 0 ? value : levels % 2 === 0 ? [wrap(value, levels - 1)] : { '"\\': wrap(value, levels - 1) }
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(140), (inner, levels) => {
        const value = wrap(inner, levels)
        expect(jsonExcess(JSON.stringify(value)) === null).toBe(depthOf(value) <= 128)
      }),
    )
  })
})
