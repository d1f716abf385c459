import { describe, expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { compareBytes } from '../src/bytes.ts'
import { decodeKey, decodeLeaf, encodeKey, encodeLeaf, encodeSeries, type Leaf } from '../src/leaf.ts'

const wti: Leaf = {
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: 'RWTC', product: 'EPCWTI' },
  period: '2026-11-16',
  value: '59.91',
  unit: '$/BBL',
}
const WTI =
  '{"column":"value","source":{"route":"petroleum/pri/spt","frequency":"daily","facets":[["product","EPCWTI"],["series","RWTC"]],"period":"2026-11-16","value":"59.91","unit":"$/BBL"}}'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const keyText = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 4 })
  .filter((text) => !text.includes('\0'))
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,3}$/)
const anyLeaf: fc.Arbitrary<Leaf> = fc.record({
  route: keyText,
  frequency: keyText,
  column: keyText,
  facets: fc
    .array(fc.tuple(id, fc.option(keyText)), { maxLength: 3 })
    .map((pairs): Leaf['facets'] => Object.fromEntries(pairs)),
  period: keyText,
  value: fc.option(fc.string({ unit: anyCharacter })),
  unit: fc.option(fc.string({ unit: anyCharacter, minLength: 1 })),
})

describe('encodeLeaf and decodeLeaf', () => {
  test('default: the bytes of the specification', () => {
    expect(textOf(encodeLeaf(wti))).toBe(WTI)
  })

  test('behavior: every leaf is read back', () => {
    fc.assert(fc.property(anyLeaf, (leaf) => expect(decodeLeaf(encodeLeaf(leaf), 'leaf')).toEqual(leaf)))
  })

  test('behavior: values that EIA withholds, and a lone surrogate', () => {
    for (const value of [null, 'w', 'NA', '', '\ud800'])
      expect(decodeLeaf(encodeLeaf({ ...wti, value, unit: null }), 'leaf')).toMatchObject({
        value,
        unit: null,
      })
  })

  test.each([
    ['no JSON', '{', 'not a leaf'],
    ['a list', '[]', 'not a leaf'],
    ['whitespace', WTI.replace(':', ': '), 'not in canonical form'],
    [
      'another order of facets',
      WTI.replace(/(\["product.*?\]),(\["series.*?\])/, '$2,$1'),
      'not in canonical form',
    ],
    ['a facet twice', WTI.replace('["series"', '["product"'), 'not in canonical form'],
    ['another member', WTI.replace('}}', '},"more":1}'), 'not in canonical form'],
    ['an escape that is not needed', WTI.replace('59.91', '\\u0035'), 'not in canonical form'],
    ['a number', WTI.replace('"59.91"', '59.91'), 'not a leaf'],
    ['no unit', WTI.replace(',"unit":"$/BBL"', ''), 'not a leaf'],
    ['an empty unit', WTI.replace('$/BBL', ''), 'not a leaf'],
    ['an empty period', WTI.replace('2026-11-16', ''), 'not a leaf'],
    ['a zero character', WTI.replace('EPCWTI', '\\u0000'), 'not a leaf'],
    ['an id with other characters', WTI.replace('product', 'prod uct'), 'not a leaf'],
    ['an empty facet', WTI.replace('EPCWTI', ''), 'not a leaf'],
    ['too many bytes', WTI.replace('59.91', '1'.repeat(4096)), 'a leaf has at most 4096 bytes'],
  ])('error: %s', (_, text, rule) => {
    expect(text).not.toBe(WTI)
    expect(() => decodeLeaf(bytesOf(text), 'leaf 3')).toThrow(`leaf 3: ${rule}`)
  })

  test('error: bytes that are not UTF-8', () => {
    expect(() => decodeLeaf(Uint8Array.of(...bytesOf(WTI), 255), 'leaf 3')).toThrow('leaf 3: not a leaf')
  })
})

describe('encodeKey', () => {
  test('default: elements with a zero byte after each, the period last', () => {
    expect(textOf(encodeKey({ ...wti, facets: { series: 'RWTC', duoarea: null } }))).toBe(
      'petroleum/pri/spt\0daily\0value\0duoarea\0\0series\0RWTC\0' + '2026-11-16\0',
    )
  })

  test('behavior: keys are in the order of their elements, and are read back', () => {
    const elements = ({ route, frequency, column, facets, period }: Leaf) => [
      ...[route, frequency, column],
      ...Object.entries(facets)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([name, value]) => [name, value ?? '']),
      period,
    ]
    const compare = (left: string[], right: string[]): number => {
      for (const [index, text] of left.entries()) {
        const order = Buffer.compare(Buffer.from(text), Buffer.from(right[index] ?? ''))
        if (order !== 0) return order
      }
      return 0
    }
    const facets = fc.record({ a: fc.option(keyText), b: fc.option(keyText) })
    const leaf = fc.tuple(anyLeaf, facets).map(([each, two]) => ({ ...each, facets: two }))
    fc.assert(
      fc.property(leaf, leaf, (left, right) => {
        const expected = compare(elements(left), elements(right))
        expect(Math.sign(compareBytes(encodeKey(left), encodeKey(right)))).toBe(Math.sign(expected))
        const { value, unit, ...key } = left
        expect(decodeKey(encodeKey(left))).toEqual(key)
      }),
    )
  })

  test('behavior: a series is one run: its keys start with its bytes, and no others do', () => {
    const other = { ...wti, facets: { ...wti.facets, series: 'RWTC2' } }
    const prefix = textOf(encodeSeries(wti))
    expect(textOf(encodeKey(wti)).startsWith(prefix)).toBe(true)
    expect(textOf(encodeKey(other)).startsWith(prefix)).toBe(false)
  })

  test.each([
    ['an empty element', { period: '' }, '""'],
    ['a zero character', { column: 'a\0' }, '"a\\u0000"'],
    ['a lone surrogate', { facets: { series: '\ud800' } }, '"\\ud800"'],
  ])('error: %s', (_, change, shown) => {
    expect(() => encodeKey({ ...wti, ...change })).toThrow(
      `${shown}: a part of a key is text that is not empty`,
    )
  })
})
