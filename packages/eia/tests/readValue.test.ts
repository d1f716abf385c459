import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NotANumberError, readValue } from '../src/readValue.ts'
import { decimal } from './decimal.ts'

describe('readValue', () => {
  /** The result for a value. */
  const kindOf = (text: string | null): string | null => {
    try {
      return readValue(text)
    } catch (error) {
      if (error instanceof NotANumberError) return error.code
      throw error
    }
  }

  test('behavior: a decimal is itself', () => {
    fc.assert(fc.property(decimal, ({ text }) => expect(readValue(text)).toBe(text)))
  })

  test('behavior: null and the marks of EIA are withheld, in any case of letters, with blanks around them', () => {
    const words = ['w', 'W', 'd', 'Q', 'NA', 'na', 'N/A', 'NM', 's', '(s)', '(S)']
    const signs = ['', ' ', '-', '--', '- -', '–', '– –', '—', '.', '*', ' W ', 'NA\n']
    for (const text of [null, ...words, ...signs]) expect([text, kindOf(text)]).toEqual([text, null])
  })

  test('error: any other text, which is no mark', () => {
    const numbers = [
      '12%',
      '5%',
      '$5',
      '−5',
      '0x10',
      '0x1f',
      '1_000',
      '١',
      '１２',
      '1.2.3',
      '1-2',
      '1e',
      '(5)',
      '5 R',
      '5R',
      '½',
    ]
    const words = [
      'null',
      'none',
      'nano',
      'info',
      'withheld',
      'WW',
      'N',
      'A',
      'E',
      'e',
      ',',
      '---',
      'W1',
      '{}',
      'true',
      '\0',
    ]
    for (const text of [...numbers, ...words]) expect([text, kindOf(text)]).toEqual([text, 'not_a_number'])
  })

  test('error: not a number, or infinite, in any case and sign', () => {
    const words = fc.constantFrom('nan', 'inf', 'infinity', '∞')
    const mixed = words.chain((word) =>
      fc
        .tuple(fc.constantFrom('', '+', '-', ' ', '- '), fc.infiniteStream(fc.boolean()))
        .map(
          ([sign, isUpper]) =>
            sign + [...word].map((c) => (isUpper.next().value ? c.toUpperCase() : c)).join(''),
        ),
    )
    fc.assert(fc.property(mixed, (text) => expect(kindOf(text)).toBe('not_a_number')))
  })

  test('error: digits with blanks or commas among them', () => {
    for (const text of ['1,234.5', ' 12 ', '1 234', '12\n', '\t-1,000', '1\u00a0234', '1\u202f234,5', '1,5'])
      expect([text, kindOf(text)]).toEqual([text, 'not_a_number'])
    const filler = fc.constantFrom(' ', ',', '\t', '\n', '\u00a0', '\u2009')
    const filled = fc.tuple(decimal, filler, fc.nat()).map(([{ text }, fill, at]) => {
      const index = at % (text.length + 1)
      return text.slice(0, index) + fill + text.slice(index)
    })
    fc.assert(fc.property(filled, (text) => expect(kindOf(text)).toBe('not_a_number')))
  })

  test('error: facts as fields, a long text cut', () => {
    const error = new NotANumberError({ text: 'NaN' })
    expect({ ...error, message: error.message }).toEqual({
      code: 'not_a_number',
      retryable: false,
      text: 'NaN',
      message: `the value "NaN" is neither a number nor a mark by which EIA withholds one, such as W or NA; check EIA's data`,
    })
    expect(() => readValue(`1,${'0'.repeat(10_000)}`)).toThrow(`"1,${'0'.repeat(78)}" is neither`)
  })
})
