import { InvalidArgumentError } from 'commander'

/** Reads `--facet series=RWTC`, which can be given several times. */
export function parseFacet(text: string, facets: Readonly<Record<string, string>>): Record<string, string> {
  const [, facet, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (facet === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a facet id, then = and its value.')
  if (facet in facets) throw new InvalidArgumentError(`The facet ${facet} has a value already.`)
  return { ...facets, [facet]: value }
}
