import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { choose, fill } from '../../../src/operator/feeds/new/choose.ts'
import { createPerson } from './support/person.ts'

const choices = [
  { id: 'RWTC', name: 'Cushing WTI' },
  { id: 'RBRTE', name: 'Europe Brent' },
  { id: 'R', name: 'all' },
]
const choosing = { what: 'series', flag: '--facet', choices }
const many = Array.from({ length: 30 }, (_, index) => ({ id: `ID${index}`, name: `ID${index}` }))

describe('choose', () => {
  test('default: the given choice, or the only one', async () => {
    expect(await choose(choosing, 'RWTC', null)).toBe('RWTC')
    expect(await choose({ ...choosing, choices: choices.slice(0, 1) }, undefined, null)).toBe('RWTC')
  })

  test('default: otherwise a person at the terminal chooses', async () => {
    expect(await choose(choosing, undefined, createPerson(['brent']).terminal)).toBe('RBRTE')
  })

  test('error: no terminal', async () => {
    expect(await errorOf(choose(choosing, undefined, null))).toMatchObject({
      code: 'new_feed',
      reason: 'missing',
      message: '--facet is missing; the series must be one of RWTC, RBRTE, R',
    })
    expect((await errorOf(choose({ ...choosing, choices: many }, undefined, null))).message).toEndWith(
      'ID18, ID19 and 10 more',
    )
  })

  test('error: there is no such choice; similar ones are named', async () => {
    expect(await errorOf(choose(choosing, 'rwtc', null))).toMatchObject({
      reason: 'unknown',
      message: '--facet: unknown series rwtc; it must be one of RWTC',
    })
    expect((await errorOf(choose(choosing, 'XYZ', null))).message).toEndWith(
      'it must be one of RWTC, RBRTE, R',
    )
  })
})

test('error: fill tells a text that cannot be parsed from a missing one', async () => {
  const parse = (): never => {
    throw new Error('it must be a number')
  }
  const decimals = { name: 'decimals', given: 'x', suggestion: null, parse }
  expect(await errorOf(fill(decimals, null))).toMatchObject({
    reason: 'invalid',
    message: '--decimals: it must be a number',
  })
  expect(await errorOf(fill({ ...decimals, given: undefined }, null))).toMatchObject({ reason: 'missing' })
})
