import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { parseSettings, SettingsError, withOptions } from '../../src/runtime/settings/settings.ts'
import { motes, word } from '../../src/runtime/settings/textTypes.ts'

const needed = { when: 'to ask', why: 'it is needed' }
const SIZE = Type.Integer({ minimum: 1, maximum: 9, default: 4, description: 'how large it is' })
const TOKEN = Type.Optional(word('a token', { description: 'lets you in', isSecret: true, needed }))
const settings = Type.Object({ SIZE, TOKEN })

/** The faults of settings. */
function faultsOf(parse: () => unknown): readonly string[] {
  try {
    parse()
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}

describe('parseSettings', () => {
  test('default: values by name, parsed without the spaces around them', () => {
    const environment = { SIZE: ' 7 ', TOKEN: 'abc' }
    expect(parseSettings(settings, environment, { needed: ['TOKEN'] })).toEqual({ SIZE: 7, TOKEN: 'abc' })
  })

  test('behavior: a setting that is empty or blank has its default, or null', () => {
    expect(parseSettings(settings, { SIZE: '', TOKEN: '  ' })).toEqual({ SIZE: 4, TOKEN: null })
  })

  test('behavior: a default is written as its text would be', () => {
    const amount = Type.Object({ AMOUNT: motes({ default: '12' }) })
    expect(parseSettings(amount, {})).toEqual({ AMOUNT: 12n })
  })

  test('behavior: a setting that is not shown is not read', () => {
    const shown = Type.Object({ TOKEN })
    expect(parseSettings(settings, { SIZE: '0', TOKEN: 'abc' }, { shown })).toEqual({ SIZE: 4, TOKEN: 'abc' })
  })

  test('error: every fault, a line each; a secret is not repeated; a needed setting cannot be unset', () => {
    const others = {
      OTHER: SIZE,
      ABSENT: withOptions(SIZE, { needed }),
      OPTIONAL: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    }
    const schema = Type.Object({ ...settings.properties, ...others })
    const environment = { SIZE: '0', TOKEN: 'pa55 word', OTHER: 'x', OPTIONAL: 'y' }
    const faults = [
      'SIZE is "0": it must be a whole number from 1 to 9; unset it for 4',
      'TOKEN must be a token without spaces',
      'OTHER is "x": it must be a whole number from 1 to 9',
      'ABSENT is not set: it is needed',
      'OPTIONAL is "y": it must be a whole number from 1 to 9',
    ]
    const parse = () => parseSettings(schema, environment, { needed: ['OTHER', 'ABSENT'] })
    expect(faultsOf(parse)).toEqual(faults)
    expect(parse).toThrow(faults.join('\n'))
  })

  test('error: conflicts come last, and do not include invalid settings', () => {
    const conflicts = (values: object) => [`conflict of ${Object.keys(values)}`]
    expect(faultsOf(() => parseSettings(settings, { SIZE: '7', TOKEN: 'a b' }, { conflicts }))).toEqual([
      'TOKEN must be a token without spaces',
      'conflict of SIZE',
    ])
  })

  test('error: control characters in a value do not reach the terminal', () => {
    expect(faultsOf(() => parseSettings(settings, { SIZE: '\u001b[31m7' }))[0]).toStartWith(
      'SIZE is "\\u001b[31m7"',
    )
  })

  test('error: a misspelt name comes before what it left unset, and without its text', () => {
    const schema = Type.Object({ NODE_PASSWORD: TOKEN })
    const parse = () => parseSettings(schema, { NODE_PASSWRD: 'pa55word' }, { needed: ['NODE_PASSWORD'] })
    expect(faultsOf(parse)).toEqual([
      'NODE_PASSWRD is not a setting; did you mean NODE_PASSWORD?',
      'NODE_PASSWORD is not set: it is needed',
    ])
  })
})
