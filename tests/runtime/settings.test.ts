import { describe, expect, test } from 'bun:test'
import { integer, word } from '../../src/runtime/parsers.ts'
import { createSettingsReader, type SettingsReader } from '../../src/runtime/settings.ts'
import { errorOf } from '../support/errorOf.ts'

const size = { name: 'SIZE', meaning: 'how large it is', parse: integer(1, 9), default: 4 }
const needed = { when: 'to ask', why: 'it is needed' }
const token = {
  name: 'TOKEN',
  meaning: 'lets you in',
  parse: word('a token'),
  default: null,
  isSecret: true,
  needed,
}
const settings = { size, token }

const end = async (reader: SettingsReader): Promise<void> => reader.end()

describe('createSettingsReader', () => {
  test('default: values as they were parsed, without the spaces around them', () => {
    const reader = createSettingsReader({ SIZE: ' 7 ', TOKEN: 'abc' }, settings)
    expect([reader.read(size), reader.read(token, true)]).toEqual([7, 'abc'])
    reader.end()
  })

  test('behavior: an empty one is as good as none', () => {
    const reader = createSettingsReader({ SIZE: '', TOKEN: '  ' }, settings)
    expect([reader.read(size), reader.read(token)]).toEqual([4, null])
    reader.end()
  })

  test('behavior: several at once, under the names of their declarations', () => {
    const reader = createSettingsReader({ SIZE: '7' }, settings)
    expect(reader.readAll(settings)).toEqual({ size: 7, token: null })
    reader.end()
  })

  test('behavior: a setting that is not among them is not read', () => {
    const reader = createSettingsReader({ SIZE: '0', TOKEN: 'abc' }, { token })
    expect([reader.read(size), reader.read(token)]).toEqual([4, 'abc'])
    reader.end()
  })

  test('error: every fault, a line each; a secret is not repeated; null is no way out', async () => {
    const required = { other: { ...size, name: 'OTHER' }, absent: { ...size, name: 'ABSENT', needed } }
    const environment = { SIZE: '0', TOKEN: 'pa55 word', OTHER: 'x' }
    const reader = createSettingsReader(environment, { ...settings, ...required })
    reader.readAll(settings)
    reader.readAll(required, true)
    const error = await errorOf(end(reader))
    const faults = [
      'SIZE is "0": it must be a whole number from 1 to 9; unset it for 4',
      'TOKEN must be a token without spaces',
      'OTHER is "x": it must be a whole number from 1 to 9',
      'ABSENT is not set: it is needed',
    ]
    expect<unknown>([{ ...error }, error.message]).toEqual([
      { code: 'settings', retryable: false, faults },
      faults.join('\n'),
    ])
  })

  test('error: what does not go together, where each holds its own rule', async () => {
    const reader = createSettingsReader({ SIZE: '7', TOKEN: 'a b' }, settings)
    reader.read(size)
    reader.read(token)
    reader.conflict(['SIZE', 'OTHER'], 'SIZE without OTHER')
    reader.conflict(['SIZE', 'TOKEN'], 'SIZE with TOKEN')
    expect((await errorOf(end(reader))).message).toBe(
      'TOKEN must be a token without spaces\nSIZE without OTHER',
    )
  })

  test('error: control characters in a value do not reach the terminal', async () => {
    const reader = createSettingsReader({ SIZE: '\u001b[31m7' }, settings)
    reader.read(size)
    expect((await errorOf(end(reader))).message).toStartWith('SIZE is "\\u001b[31m7"')
  })

  test('error: a misspelt name comes before what it left unset, and without its text', async () => {
    const password = { ...token, name: 'NODE_PASSWORD' }
    const reader = createSettingsReader({ NODE_PASSWRD: 'pa55word' }, { password })
    reader.read(password, true)
    expect((await errorOf(end(reader))).message).toBe(
      'NODE_PASSWRD is no setting: did you mean NODE_PASSWORD?\nNODE_PASSWORD is not set: it is needed',
    )
  })
})
