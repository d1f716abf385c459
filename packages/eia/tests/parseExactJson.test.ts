import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseExactJson, quoteNumbers, textMember } from '../src/parseExactJson.ts'

const same = (text: string): string => text

describe('parseExactJson', () => {
  test('default: numbers keep every digit', () => {
    const json =
      '{"a":82846.1340383561643835616438356164383562,"b":[1e400,-0,1.50,9007199254740993],"c":{"d":2E-3}}'
    expect(parseExactJson(json, same)).toEqual({
      a: '82846.1340383561643835616438356164383562',
      b: ['1e400', '-0', '1.50', '9007199254740993'],
      c: { d: '2E-3' },
    })
  })

  test('behavior: everything else is as JSON has it', () => {
    const json = '{"text":"1.50","none":null,"yes":true,"list":[],"empty":{}}'
    expect(parseExactJson(json, same)).toEqual({ text: '1.50', none: null, yes: true, list: [], empty: {} })
  })

  test('behavior: any number stays the text that it was', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 })
    const number = fc
      .record({
        sign: fc.constantFrom('', '-'),
        whole: digits.map((list) => list.join('').replace(/^0+(?=\d)/, '')),
        fraction: fc.option(digits.map((list) => `.${list.join('')}`)),
        exponent: fc.option(fc.integer({ min: -999, max: 999 }).map((power) => `e${power}`)),
      })
      .map(({ sign, whole, fraction, exponent }) => sign + whole + (fraction ?? '') + (exponent ?? ''))
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        expect(parseExactJson(`[${numbers.join(',')}]`, same)).toEqual(numbers)
      }),
    )
  })

  test('behavior: if the runtime hides the digits of numbers, quotes preserve them', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.parse(quoteNumbers(json))).toEqual(parseExactJson(json))
      }),
    )
    expect(quoteNumbers('{"a\\"1":[1.50,"2",-3E+2]}')).toBe('{"a\\"1":["1.50","2","-3E+2"]}')
    expect(() => quoteNumbers('{1:2}')).toThrow(SyntaxError)
  })

  test('behavior: every text is mapped, no number is', () => {
    expect(parseExactJson('{"a":"x","b":["y",{"c":"z"}],"d":1}', (text) => `${text}!`)).toEqual({
      a: 'x!',
      b: ['y!', { c: 'z!' }],
      d: '1',
    })
  })

  test('error: not JSON, or nested too deep', () => {
    for (const json of ['', '{', '{"a":1}}', 'NaN', '[01]', "{'a':1}"])
      expect(() => parseExactJson(json, same)).toThrow(SyntaxError)
    expect(() => parseExactJson('['.repeat(10 ** 6) + ']'.repeat(10 ** 6), same)).toThrow(RangeError)
  })
})

describe('textMember', () => {
  test('default: own members only', () => {
    expect(textMember({ a: 'x' }, 'a')).toBe('x')
    for (const value of [null, undefined, 'text', 5, [], {}])
      expect(textMember(value, 'constructor')).toBeNull()
  })

  test('behavior: an empty text, or another type, is not a text', () => {
    for (const value of ['', null, {}, []]) expect(textMember({ a: value }, 'a')).toBeNull()
  })
})
