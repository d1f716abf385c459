import type { EiaParameters } from './eiaParameters.ts'

/** An answer of EIA's API. */
export interface EiaAnswer {
  readonly status: number
  readonly body: unknown
}

/** The status of an unknown route, although the code in its body is 404. */
const NOT_FOUND_STATUS = 500

/** The answer for a route that does not exist. */
export const notFound: EiaAnswer = { status: NOT_FOUND_STATUS, body: { error: 'Not found.', code: 404 } }

/** Returns EIA's usual form of an error. */
export const refuse = (error: string, status = 400): EiaAnswer => ({ status, body: { error, code: status } })

/** Returns the form of an error of what is in front of EIA's API, which checks the key. */
export const refuseKey = (code: string, message: string): EiaAnswer => ({
  status: 403,
  body: { error: { code, message } },
})

/** What a request names one of. */
export type EiaOption = 'frequency' | 'data' | 'facet' | 'sort'

const plurals: Readonly<Record<EiaOption, string>> = {
  frequency: 'frequencies',
  data: 'data',
  facet: 'facets',
  sort: 'sort parameters',
}

/** Says in EIA's words that a text is none of the valid ones. */
export function describeRefusal(option: EiaOption, given: string, valid: readonly string[]): string {
  const names = valid.map((id) => `'${id}'`)
  // EIA writes the comma between two, as well.
  const last = names.length > 1 ? [`and ${names.pop()}`] : []
  return `Invalid ${option} '${given}' provided. The only valid ${plurals[option]} are ${[...names, ...last].join(', ')}.`
}

/** Refuses a text that is none of the valid ones. */
export const refuseOption = (option: EiaOption, given: string, valid: readonly string[]): EiaAnswer =>
  refuse(describeRefusal(option, given, valid))

/** What requests for the rows of a dataset may name. */
export interface EiaOptions {
  readonly frequencies: readonly string[]
  readonly columns: readonly string[]
  /** Ids of its facets. */
  readonly facets: readonly string[]
}

/** Refuses a frequency, column or facet that a dataset does not have; null if it has them all. */
export function refuseOptions(
  { frequency, data = [], facets = {} }: EiaParameters,
  valid: EiaOptions,
): EiaAnswer | null {
  if (frequency !== undefined && !valid.frequencies.includes(frequency))
    return refuseOption('frequency', frequency, valid.frequencies)
  const column = data.find((id) => !valid.columns.includes(id))
  if (column !== undefined) return refuseOption('data', column, valid.columns)
  const facet = Object.keys(facets).find((id) => !valid.facets.includes(id))
  return facet === undefined ? null : refuseOption('facet', facet, valid.facets)
}

/** Returns EIA's warning for a request of more rows than one answer has. */
export const lengthOutOfRange = (maxRows: number) => ({
  warning: 'parameter out of range: length',
  description: `The maximum value is ${maxRows}.`,
})

/** Returns EIA's warning for a request that matches more rows than one answer has. */
export const incompleteReturn = (maxRows: number) => ({
  warning: 'incomplete return',
  description: `The API can only return ${maxRows} rows in JSON format.  Please consider constraining your request with facet, start, or end, or using offset to paginate results.`,
})
