import { FACET_PARAMETER } from 'wattfeed/internal'

/** Which rows of a dataset a table has. */
export interface TableRows {
  readonly route: string
  readonly frequency: string
  /** None for all. */
  readonly columns: readonly string[]
  /** For each facet that is given, the codes that rows may have; null for rows without one. */
  readonly facets: Readonly<Record<string, readonly (string | null)[]>>
  /** EIA's texts of the first and the last period; null without a bound. */
  readonly from: string | null
  readonly to: string | null
  /** As given: with `-` for descending. */
  readonly sort: readonly string[]
}

/** Returns the parameters that name the rows of a table in an address. */
export function tablePairs(rows: TableRows): [string, string][] {
  const { route, frequency, columns, facets, from, to, sort } = rows
  const named = (name: string, texts: readonly (string | null)[]) =>
    texts.map((text): [string, string] => [name, text ?? ''])
  return [
    ['route', route],
    ['frequency', frequency],
    ...named('column', columns),
    ...Object.entries(facets).flatMap(([id, codes]) => named(`${FACET_PARAMETER}${id}`, codes)),
    ...named('period_from', from === null ? [] : [from]),
    ...named('period_to', to === null ? [] : [to]),
    ...named('sort', sort),
  ]
}
