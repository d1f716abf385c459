import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { urlSecrets } from '@wattfeed/base'
import {
  parseSettings,
  SettingsError,
  settingSecrets,
  withOptions,
} from '../../src/runtime/settings/settings.ts'
import { hostSecrets, httpUrl, httpUrls, motes, word } from '../../src/runtime/settings/textTypes.ts'

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
    expect(parseSettings(settings, environment, ['TOKEN'])).toEqual({ size: 7, token: 'abc' })
  })

  test('behavior: a setting that is empty or blank has its default, or null', () => {
    expect(parseSettings(settings, { SIZE: '', TOKEN: '  ' })).toEqual({ size: 4, token: null })
  })

  test('behavior: a default is written as its text would be', () => {
    const amount = Type.Object({ AMOUNT: motes({ default: '12' }) })
    expect(parseSettings(amount, {})).toEqual({ amount: 12n })
  })

  test('default: the name in programs is that of the setting, in camel case', () => {
    const schema = Type.Object({ MAX_SIZE_2_MB: SIZE, A_TOKEN: TOKEN })
    const values = parseSettings(schema, { A_TOKEN: 'abc' })
    expect(values).toEqual({ maxSize2Mb: 4, aToken: 'abc' })
    // The compiler knows the names, too.
    const { maxSize2Mb, aToken }: { maxSize2Mb: number; aToken: string | null } = values
    expect([maxSize2Mb, aToken]).toEqual([4, 'abc'])
  })

  test('behavior: what is not a setting is not read', () => {
    const schema = Type.Object({ TOKEN })
    expect(parseSettings(schema, { SIZE: '0', TOKEN: 'abc' })).toEqual({ token: 'abc' })
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
    const parse = () => parseSettings(schema, environment, ['OTHER', 'ABSENT'])
    expect(faultsOf(parse)).toEqual(faults)
    expect(parse).toThrow(faults.join('\n'))
  })

  test('error: conflicts come last, and do not include invalid settings', () => {
    const conflicts = (values: object) => [`conflict of ${Object.keys(values)}`]
    const schema = Type.Object({ SIZE: withOptions(SIZE, { conflicts }), TOKEN })
    expect(faultsOf(() => parseSettings(schema, { SIZE: '7', TOKEN: 'a b' }))).toEqual([
      'TOKEN must be a token without spaces',
      'conflict of size',
    ])
  })

  test('error: control characters in a value do not reach the terminal', () => {
    expect(faultsOf(() => parseSettings(settings, { SIZE: '\u001b[31m7' }))[0]).toStartWith(
      'SIZE is "\\u001b[31m7"',
    )
  })

  test('error: a misspelt name comes before what it left unset, and without its text', () => {
    const schema = Type.Object({ NODE_PASSWORD: TOKEN })
    const parse = () => parseSettings(schema, { NODE_PASSWRD: 'pa55word' }, ['NODE_PASSWORD'])
    expect(faultsOf(parse)).toEqual([
      'NODE_PASSWRD is not a setting; did you mean NODE_PASSWORD?',
      'NODE_PASSWORD is not set: it is needed',
    ])
  })
})

describe('settingSecrets', () => {
  test('default: of a URL its secrets, of other secret settings the whole; of others nothing', () => {
    const schema = Type.Object({
      SIZE,
      TOKEN,
      MAIN_URL: httpUrl(),
      NODES: httpUrls(),
      HEADERS: Type.Optional(hostSecrets()),
    })
    const given = { TOKEN: 't0ken', MAIN_URL: 'http://a:pa55@host/', NODES: 'http://b,http://c:w0rd@d' }
    expect(settingSecrets(schema, parseSettings(schema, given))).toEqual([
      't0ken',
      ...urlSecrets('http://a:pa55@host/'),
      ...urlSecrets('http://c:w0rd@d'),
    ])
    const headers = { ...given, HEADERS: 'b=Basic b4re' }
    expect(settingSecrets(schema, parseSettings(schema, headers)).slice(-2)).toEqual(['Basic b4re', 'b4re'])
  })

  test('behavior: a secret that is not set has none', () => {
    expect(settingSecrets(settings, parseSettings(settings, {}))).toEqual([])
  })
})
