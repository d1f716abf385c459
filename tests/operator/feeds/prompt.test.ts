import { describe, expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'
import { createPrompt } from '../../../src/operator/feeds/prompt.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createPerson } from './support/person.ts'

const parse = (answer: string): string => answer

describe('createPrompt', () => {
  test('default: asks one question after another, and shows what it suggests', async () => {
    const { prompt, seen } = createPerson(['  daily ', '', 'six'])
    expect(await prompt.ask({ text: 'frequency', parse })).toBe('daily')
    expect(await prompt.ask({ text: 'unit', suggestion: '$/bbl', parse })).toBe('$/bbl')
    expect(await prompt.ask({ text: 'decimals', suggestion: '3', parse })).toBe('six')
    expect(seen()).toBe('frequency: unit [$/bbl]: decimals [3]: ')
  })

  test('behavior: an answer that breaks its rule is asked for again', async () => {
    const { prompt, seen } = createPerson(['six', '6'])
    const number = (answer: string): number => {
      if (!/^\d+$/.test(answer)) throw new Error('a whole number')
      return Number(answer)
    }
    expect(await prompt.ask({ text: 'decimals', parse: number })).toBe(6)
    expect(seen()).toBe('decimals: a whole number\ndecimals: ')
  })

  test('error: the input ends', async () => {
    const { prompt } = createPerson(['daily'])
    await prompt.ask({ text: 'frequency', parse })
    expect(await errorOf(prompt.ask({ text: 'unit', parse }))).toMatchObject({
      code: 'prompt_closed',
      message:
        'the input ended before everything was answered; nothing was written: run this again, or answer by flags',
    })
  })

  test('error: disposing of it leaves nobody to ask', async () => {
    const prompt = createPrompt(new PassThrough(), new PassThrough())
    prompt[Symbol.dispose]()
    expect(await errorOf(prompt.ask({ text: 'unit', parse }))).toMatchObject({ code: 'prompt_closed' })
  })
})
