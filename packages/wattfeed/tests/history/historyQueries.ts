import fc from 'fast-check'
import { assertHistoryQuery, type IntegerQuery } from '../../src/history/historyQuery.ts'

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

/** Queries of a history with few values and periods: every allowed combination of two parameters. */
export const historyQueries: fc.Arbitrary<IntegerQuery> = fc
  .record({
    from: optional(fc.nat(34)),
    to: optional(fc.nat(34)),
    after: optional(fc.nat(34)),
    limit: optional(fc.integer({ min: 1, max: 12 })),
    order: optional(fc.constantFrom('asc' as const, 'desc' as const)),
    period_from: optional(fc.nat(7)),
    period_to: optional(fc.nat(7)),
    as_of: optional(fc.nat(40)),
    vintages: optional(fc.constantFrom('all' as const, 'first' as const, 'latest' as const)),
  })
  .map((query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)))
  .filter((query) => isValid(query))

function isValid(query: IntegerQuery): boolean {
  try {
    assertHistoryQuery(query)
    return true
  } catch {
    return false
  }
}
