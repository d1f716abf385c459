import { describe, expect, test } from 'bun:test'
import { faultsOf, lineOf, sources } from './sources.ts'

const LINE = lineOf(sources.descriptions, 'steo')
const NOT_ONE_SENTENCE =
  'description is not one sentence; begin with a capital, end with a period and have none before ("US", not "U.S.")'

/** Faults where `steo`, which is annual, quarterly and monthly, is described so. */
function faultsWith(description: string): string[] {
  return faultsOf({ descriptions: sources.descriptions.replace(/^steo\t.*$/m, () => `steo\t${description}`) })
}

describe('parseDescriptions', () => {
  test('default', () => {
    expect(
      faultsWith('Forecasts of energy supply and prices, by series, monthly, quarterly and annual.'),
    ).toEqual([])
  })

  test.each([
    ['begins small', 'forecasts of energy supply and prices, monthly, quarterly and annual.'],
    ['has no period', 'Forecasts of energy supply and prices, monthly, quarterly and annual'],
    ['ends with two periods', 'Forecasts of energy supply and prices, monthly, quarterly and annual..'],
    ['is two sentences', 'Forecasts of energy supply and prices. Monthly, quarterly and annual.'],
    ['is a question', 'Forecasts of energy supply and prices, monthly, quarterly and annual?'],
    ['abbreviates with periods', 'Forecasts of U.S. energy supply and prices, monthly, quarterly, annual.'],
  ])('error: a description that %s', (_, description) => {
    expect(faultsWith(description)).toEqual([`descriptions.tsv:${LINE} [sentence] ${NOT_ONE_SENTENCE}`])
  })

  test.each([59, 60, 220, 221])('error: a description of %i characters, unless 60 to 220', (length) => {
    const start = 'Annual, quarterly and monthly '
    expect(faultsWith(`${start}${'x'.repeat(length - start.length - 1)}.`)).toEqual(
      length >= 60 && length <= 220
        ? []
        : [`descriptions.tsv:${LINE} [length] description has ${length} characters; write 60 to 220`],
    )
  })

  test.each([
    [
      'Forecasts of energy supply, demand and prices, by series, monthly and annual.',
      'does not say that the dataset is quarterly; add it',
    ],
    [
      'Weekly, monthly, quarterly and annual forecasts of energy supply, by series.',
      'says weekly, which the dataset is not; leave it out',
    ],
    // The title of a publication does not say how often.
    [
      'Monthly and quarterly forecasts of energy supply, as in the Annual Energy Outlook.',
      'does not say that the dataset is annual; add it',
    ],
  ])('error: %p %s', (description, fault) => {
    expect(faultsWith(description)).toEqual([`descriptions.tsv:${LINE} [how-often] description ${fault}`])
  })

  test('error: a route described twice', () => {
    const second =
      'steo\tAnother view of energy supply and prices, by series, monthly, quarterly and annual.\n'
    expect(faultsOf({ descriptions: sources.descriptions + second })).toEqual([
      'descriptions.tsv:234 [unique] describes its route again; remove one of the two lines',
    ])
  })

  test('error: two routes described alike', () => {
    const [, wanted] = /^natural-gas\/enr\/seis\t(.*)$/m.exec(sources.descriptions) ?? []
    const descriptions = sources.descriptions.replace(
      /^petroleum\/crd\/seis\t.*$/m,
      () => `petroleum/crd/seis\t${wanted}`,
    )
    const [line, first] = ['petroleum/crd/seis', 'natural-gas/enr/seis'].map((route) =>
      lineOf(descriptions, route),
    )
    expect(faultsOf({ descriptions })).toEqual([
      `descriptions.tsv:${line} [unique] repeats the description of line ${first}; say what sets the datasets apart`,
    ])
  })
})
