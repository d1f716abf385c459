import { describe, expect, test } from 'bun:test'
import { integer, word } from '../../src/runtime/parsers.ts'
import { createSettingsReader, type SettingsReader } from '../../src/runtime/settings.ts'
import { errorOf } from '../support/errorOf.ts'

const size = { name: 'SIZE', parse: integer(1, 9) }
const token = { name: 'TOKEN', parse: word('a token'), isSecret: true }

const end = async (reader: SettingsReader): Promise<void> => reader.end()

describe('createSettingsReader', () => {
  test('default: values as they were parsed, without the spaces around them', () => {
    const reader = createSettingsReader({ SIZE: ' 7 ', TOKEN: 'abc' })
    expect([reader.optional(size, 1), reader.required(token, null, 'it is needed')]).toEqual([7, 'abc'])
    reader.end()
  })

  test('behavior: an empty one is as good as none', () => {
    const reader = createSettingsReader({ SIZE: '', TOKEN: '  ' })
    expect([reader.optional(size, 1), reader.optional(token, null)]).toEqual([1, null])
    reader.end()
  })

  test('error: every fault, a line each; a secret is not repeated; null is no way out', async () => {
    const reader = createSettingsReader({ SIZE: '0', TOKEN: 'pa55 word', OTHER: 'x' })
    reader.optional(size, 4)
    reader.optional(token, null)
    reader.required({ ...size, name: 'OTHER' }, 4, 'it is needed')
    reader.required({ ...size, name: 'ABSENT' }, 4, 'it is needed')
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
    const reader = createSettingsReader({ SIZE: '7', TOKEN: 'a b' })
    reader.optional(size, 4)
    reader.optional(token, null)
    reader.conflict(['SIZE', 'OTHER'], 'SIZE without OTHER')
    reader.conflict(['SIZE', 'TOKEN'], 'SIZE with TOKEN')
    expect((await errorOf(end(reader))).message).toBe(
      'TOKEN must be a token without spaces\nSIZE without OTHER',
    )
  })

  test('error: control characters in a value do not reach the terminal', async () => {
    const reader = createSettingsReader({ SIZE: '\u001b[31m7' })
    reader.optional(size, 4)
    expect((await errorOf(end(reader))).message).toStartWith('SIZE is "\\u001b[31m7"')
  })
})
