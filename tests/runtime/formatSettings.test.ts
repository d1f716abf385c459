import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { formatSettings, settingCells } from '../../src/runtime/settings/formatSettings.ts'
import { withOptions } from '../../src/runtime/settings/settings.ts'
import { path, word } from '../../src/runtime/settings/textTypes.ts'

const needed = { when: 'to ask', why: 'nobody else knows' }
const SIZE = Type.Integer({ minimum: 1, maximum: 9, default: 4, description: 'how large it is' })
const settings = Type.Object({
  SIZE,
  ACCESS_TOKEN: Type.Optional(word('a token', { description: 'lets you in', needed })),
  FOLDER: path({ description: 'where it is', default: '/a', defaultText: 'this one', needed }),
  FILE: Type.Optional(path({ description: 'what is kept' })),
})

test('default: help has name, meaning, rule and default, in columns', () => {
  expect(formatSettings(settings)).toBe(
    [
      '  SIZE          how large it is [a whole number from 1 to 9; default 4]',
      '  ACCESS_TOKEN  lets you in [a token without spaces; needed to ask]',
      '  FOLDER        where it is [a path; needed to ask, else this one]',
      '  FILE          what is kept [a path]',
    ].join('\n'),
  )
})

test('behavior: long text continues on the next line, in its column', () => {
  const long = withOptions(SIZE, { description: 'how large it is '.repeat(9).trim() })
  const lines = formatSettings(Type.Object({ SIZE: long })).split('\n')
  expect(lines.every((line) => line.length <= 120)).toBeTrue()
  expect(lines.map((line) => line.search(/\S/))).toEqual([2, 8])
})

test('default: the same as the cells of a table', () => {
  expect(Object.values(settings.properties).map(settingCells)).toEqual([
    ['4', 'how large it is', 'a whole number from 1 to 9'],
    ['needed to ask', 'lets you in', 'a token without spaces'],
    ['needed to ask, else this one', 'where it is', 'a path'],
    ['', 'what is kept', 'a path'],
  ])
})
