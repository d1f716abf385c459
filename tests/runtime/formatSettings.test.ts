import { expect, test } from 'bun:test'
import { formatSettings, formatSettingsTable } from '../../src/runtime/formatSettings.ts'
import { integer, path, word } from '../../src/runtime/parsers.ts'

const needed = { when: 'to ask', why: 'nobody else knows' }
const settings = {
  size: { name: 'SIZE', meaning: 'how large it is', parse: integer(1, 9), default: 4 },
  token: { name: 'ACCESS_TOKEN', meaning: 'lets you in', parse: word('a token'), default: null, needed },
  folder: {
    name: 'FOLDER',
    meaning: 'where it is',
    parse: path,
    default: '/a',
    defaultText: 'this one',
    needed,
  },
  empty: { name: 'FILE', meaning: 'what is kept', parse: path, default: '' },
}

test('default: help tells name, meaning, rule and default, in columns', () => {
  expect(formatSettings(settings)).toBe(
    [
      '  SIZE          how large it is [a whole number from 1 to 9; default 4]',
      '  ACCESS_TOKEN  lets you in [a token without spaces; needed to ask]',
      '  FOLDER        where it is [a path; needed to ask, else this one]',
      '  FILE          what is kept [a path]',
    ].join('\n'),
  )
})

test('behavior: what does not fit on a line goes on below, in its column', () => {
  const size = { ...settings.size, meaning: 'how large it is '.repeat(9).trim() }
  const lines = formatSettings({ size }).split('\n')
  expect(lines.every((line) => line.length <= 120)).toBeTrue()
  expect(lines.map((line) => line.search(/\S/))).toEqual([2, 8])
})

test('default: the same as a table in Markdown', () => {
  expect(formatSettingsTable(settings)).toBe(
    [
      '| setting | default | meaning | must be |',
      '| --- | --- | --- | --- |',
      '| `SIZE` | 4 | how large it is | a whole number from 1 to 9 |',
      '| `ACCESS_TOKEN` | needed to ask | lets you in | a token without spaces |',
      '| `FOLDER` | needed to ask, else this one | where it is | a path |',
      '| `FILE` |  | what is kept | a path |',
    ].join('\n'),
  )
})
