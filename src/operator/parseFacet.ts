import { InvalidArgumentError } from 'commander'

/** Parses `--facet series=RWTC`, which can be repeated. */
export function parseFacet(
  text: string,
  facets: Readonly<Record<string, string>>,
  { allowsEmpty = false } = {},
): Record<string, string> {
  const [, facet, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (facet === undefined || value === undefined || (value === '' && !allowsEmpty))
    throw new InvalidArgumentError('It must be a facet id, then = and its value.')
  if (facet in facets) throw new InvalidArgumentError(`The facet ${facet} already has a value.`)
  return { ...facets, [facet]: value }
}
