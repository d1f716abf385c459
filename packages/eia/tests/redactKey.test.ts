import { describe, expect, test } from 'bun:test'
import { createRedact } from '@wattfeed/base'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'

const createRedactKey = (apiKey: string) => createRedact([apiKey], '[api_key]')

const percent = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const key = fc
  .string({ unit: anyCharacter, minLength: 4, maxLength: 50 })
  .filter((text) => text.isWellFormed())

const spellings: [string, (key: string) => string][] = [
  ['plain', (key) => key],
  ['URL-encoded', encodeURIComponent],
  ['URL-encoded twice', (key) => encodeURIComponent(encodeURIComponent(key))],
  ['as a form encodes it', (key) => String(new URLSearchParams({ key })).slice(4)],
  ['every byte encoded', percent],
  ['every byte encoded, in capitals', (key) => percent(key).toUpperCase()],
]

describe('createRedactKey', () => {
  test.each(spellings)('default: %s', (_, spell) => {
    fc.assert(
      fc.property(key, (key) => {
        expect(createRedactKey(key)(`<${spell(key)}> and <${spell(key)}>`)).toBe(
          '<[api_key]> and <[api_key]>',
        )
      }),
    )
  })

  test('behavior: in capitals or not', () => {
    expect(createRedactKey('aBcD1234')('ABCD1234 abcd1234')).toBe('[api_key] [api_key]')
  })

  test('behavior: other texts stay unchanged', () => {
    expect(createRedactKey('a.c+')('abc aXcc a.c')).toBe('abc aXcc a.c')
    for (const short of ['', 'k', 'kWh'])
      expect(createRedactKey(short)('cents per kWh')).toBe('cents per kWh')
  })
})
