import { memberAt } from '../bytes/memberAt.ts'
import { EiaUnexpectedError } from './eiaErrors.ts'
import { textMember } from './parseJson.ts'

/** EIA's description of a dataset. */
export interface EiaDataset {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  /** EIA's title. */
  readonly name: string
  readonly frequencies: readonly string[]
  readonly columns: readonly string[]
  /** Ids of the facets; empty if the dataset is one series. */
  readonly facets: readonly string[]
  /** EIA's default frequency; null if it names none. */
  readonly defaultFrequency: string | null
  /** Unit of a column, for columns that have one. */
  readonly units: Readonly<Record<string, string>>
  readonly startPeriod: string | null
  readonly endPeriod: string | null
}

/** An allowed value of a facet. */
export interface FacetValue {
  readonly id: string
  readonly name: string
  readonly alias?: string
}

/**
 * The dataset of an answer to `GET /v2/{route}`.
 *
 * @throws {EiaUnexpectedError} if the route is not a dataset, such as a family of datasets.
 */
export function parseDataset(body: unknown, route: string, status: number): EiaDataset {
  const response = memberAt(body, 'response')
  const columns = memberAt(response, 'data')
  if (typeof columns !== 'object' || columns === null)
    throw new EiaUnexpectedError(route, status, 'the columns of a dataset (response.data)')
  const units = Object.keys(columns).flatMap((column) => {
    const unit = textMember(memberAt(columns, column), 'units')
    return unit === null ? [] : [[column, unit] as const]
  })
  return {
    route,
    name: textMember(response, 'name') ?? '',
    frequencies: idsOf(memberAt(response, 'frequency')),
    columns: Object.keys(columns),
    facets: idsOf(memberAt(response, 'facets')),
    defaultFrequency: textMember(response, 'defaultFrequency'),
    units: Object.fromEntries(units),
    startPeriod: textMember(response, 'startPeriod'),
    endPeriod: textMember(response, 'endPeriod'),
  }
}

/** The ids of an answer to `GET /v2/{route}/facet`. @throws {EiaUnexpectedError} */
export function parseFacets(body: unknown, route: string, status: number): string[] {
  const response = memberAt(body, 'response')
  // EIA 2.1.8 lists plain ids as `facetOptions`.
  const facets = memberAt(response, 'facetOptions') ?? memberAt(response, 'facets')
  if (!Array.isArray(facets)) throw new EiaUnexpectedError(route, status, 'response.facetOptions')
  return idsOf(facets)
}

/** The values of an answer to `GET /v2/{route}/facet/{id}`. @throws {EiaUnexpectedError} */
export function parseFacetValues(body: unknown, route: string, status: number): FacetValue[] {
  const values = memberAt(body, 'response', 'facets')
  if (!Array.isArray(values)) throw new EiaUnexpectedError(route, status, 'response.facets')
  return values.map((value: unknown) => {
    const id = textMember(value, 'id')
    if (id === null) throw new EiaUnexpectedError(route, status, 'the id of a facet value')
    const alias = textMember(value, 'alias')
    return { id, name: textMember(value, 'name') ?? id, ...(alias === null ? {} : { alias }) }
  })
}

/** Ids of a list of texts or of objects. */
function idsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item: unknown) => (typeof item === 'string' ? item : (textMember(item, 'id') ?? [])))
}
