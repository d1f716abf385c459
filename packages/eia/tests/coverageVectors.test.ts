import { expect, test } from 'bun:test'
import { coverageOf, coverageRules } from '../src/period/coverage.ts'
import { encodePeriod, PeriodError } from '../src/period/period.ts'
import { describePeriod } from '../src/period/periodWords.ts'

interface Vector {
  readonly route: string
  readonly frequency: string
  readonly period: number
  readonly covers: string | null
  readonly start: string | null
  readonly end: string | null
  readonly words: string | null
}

const text = await Bun.file(new URL('../../../fixtures/coverage/vectors.jsonl', import.meta.url)).text()
const vectors: readonly Vector[] = text
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

test.each(vectors.map((vector) => [`${vector.route} ${vector.frequency} ${vector.period}`, vector] as const))(
  'default: %s covers what the clients in other languages expect',
  (_, vector) => {
    const { covers, start, end, period } = vector
    expect(coverageOf(vector, period)).toEqual(covers === null ? null : Object({ covers, start, end }))
    expect(describePeriod(vector, period).words).toBe(vector.words ?? `period ${period}`)
  },
)

test('default: each dataset and frequency of a rule has a vector', () => {
  const known = new Set(vectors.map(({ route, frequency }) => `${route} ${frequency}`))
  const missing = coverageRules
    .flatMap(({ routes = [], frequencies }) =>
      routes.flatMap((route) => frequencies.map((frequency) => `${route} ${frequency}`)),
    )
    .filter((name) => !known.has(name))
  expect(missing).toEqual([])
  const frequencies = new Set(vectors.map(({ frequency }) => frequency))
  expect(
    [...new Set(coverageRules.flatMap((rule) => rule.frequencies))].filter((each) => !frequencies.has(each)),
  ).toEqual([])
})

/** The integer of a text; `none` for a text that is not a period. */
function integerOf(frequency: string, text: string): string {
  try {
    return String(encodePeriod(frequency, text))
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    return 'none'
  }
}

test('default: a text has the integer that the crate for contracts gives it', async () => {
  const table = await Bun.file(new URL('../../../fixtures/coverage/periods.tsv', import.meta.url)).text()
  const rows = table
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows.map(([frequency = '', text = '']) => [frequency, text, integerOf(frequency, text)])).toEqual(
    rows,
  )
})
