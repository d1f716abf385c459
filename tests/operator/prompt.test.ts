import { describe, expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'
import { errorOf } from '@wattfeed/testing/errorOf'
import { askChoice, askText, findChoices } from '../../src/operator/prompt.ts'
import { createPerson } from './feeds/support/person.ts'

const parse = (answer: string): string => answer
const series = [
  { id: 'RWTC', name: 'Cushing WTI' },
  { id: 'RBRTE', name: 'Europe Brent' },
  { id: 'R', name: 'all' },
]

describe('askText', () => {
  test('default: the answer, without the spaces around it', async () => {
    const { terminal, seen } = createPerson(['  daily '])
    expect(await askText({ message: 'frequency', suggestion: null, parse }, terminal)).toBe('daily')
    expect(seen()).toContain('? frequency:')
  })

  test('behavior: an empty answer takes the suggestion, which is shown', async () => {
    const { terminal, seen } = createPerson([''])
    expect(await askText({ message: 'unit', suggestion: '$/bbl', parse }, terminal)).toBe('$/bbl')
    expect(seen()).toContain('? unit: ($/bbl)')
  })

  test('behavior: an answer that cannot be parsed is rejected, with the reason', async () => {
    const { terminal, seen } = createPerson(['six', '6'])
    const number = (answer: string): number => {
      if (!answer.endsWith('6')) throw new Error('a whole number')
      return Number(answer.slice(-1))
    }
    expect(await askText({ message: 'decimals', suggestion: null, parse: number }, terminal)).toBe(6)
    expect(seen()).toContain('a whole number')
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('error: %s', async (_, key) => {
    const question = { message: 'unit', suggestion: null, parse }
    expect(await errorOf(askText(question, createPerson([key]).terminal))).toMatchObject({
      code: 'prompt_closed',
      message:
        'the input ended before all questions were answered; nothing was written. Run the command again, or use flags',
    })
  })

  test('error: the input ends', async () => {
    const input = new PassThrough()
    const asked = askText({ message: 'unit', suggestion: null, parse }, { input, output: new PassThrough() })
    input.end()
    expect(await errorOf(asked)).toMatchObject({ code: 'prompt_closed' })
  })
})

describe('askChoice', () => {
  test('default: typing part of an id or a name narrows the choices', async () => {
    const { terminal, seen } = createPerson(['brent'])
    expect(await askChoice('series', series, terminal)).toBe('RBRTE')
    expect(seen()).toContain('❯ RWTC  Cushing WTI\n  RBRTE  Europe Brent\n  R  all\n')
    expect(seen()).toContain('✔ series: RBRTE')
  })

  test('behavior: an id that is part of others can be chosen by typing it', async () => {
    expect(await askChoice('series', series, createPerson(['R']).terminal)).toBe('R')
  })

  test('behavior: if nothing matches, the question stays open', async () => {
    const { terminal, seen } = createPerson(['XYZ', '\u0015brent'])
    expect(await askChoice('series', series, terminal)).toBe('RBRTE')
    expect(seen()).toContain('No results found')
  })

  test('behavior: control characters in a name are escaped', async () => {
    const { terminal, seen } = createPerson([''])
    const choices = [...series, { id: 'X', name: 'a\nb\u0007' }]
    expect(await askChoice('series', choices, terminal)).toBe('RWTC')
    expect(seen()).toContain('X  a\\u{a}b\\u{7}')
  })

  test('error: Ctrl-C', async () => {
    expect(await errorOf(askChoice('series', series, createPerson([]).terminal))).toMatchObject({
      code: 'prompt_closed',
    })
  })
})

test.each([
  ['cushing wti', ['RWTC']],
  ['WTI  rwtc', ['RWTC']],
  ['R', ['R', 'RWTC', 'RBRTE']],
  ['europe wti', []],
])('findChoices > default: "%s" finds the choices with all its words, in id and name', (text, ids) => {
  expect(findChoices(series, text).map(({ id }) => id)).toEqual(ids)
})
