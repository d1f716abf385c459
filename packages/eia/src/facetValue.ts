import { memberAt } from '@wattfeed/base'
import { EiaUnexpectedError } from './eiaErrors.ts'
import { textMember } from './parseExactJson.ts'

/** A value that a facet of a dataset may have. */
export interface FacetValue {
  readonly id: string
  readonly name: string
  readonly alias?: string
}

/** The values of an answer to `GET /v2/{route}/facet/{id}`. @throws {EiaUnexpectedError} */
export function parseFacetValues(body: unknown, route: string, status: number): FacetValue[] {
  const values = memberAt(body, 'response', 'facets')
  if (!Array.isArray(values)) throw new EiaUnexpectedError({ route, status, missing: 'response.facets' })
  return values.map((value: unknown) => {
    const id = textMember(value, 'id')
    if (id === null) throw new EiaUnexpectedError({ route, status, missing: 'the id of a facet value' })
    const alias = textMember(value, 'alias')
    return { id, name: textMember(value, 'name') ?? id, ...(alias === null ? {} : { alias }) }
  })
}
