import { InvalidArgumentError } from 'commander'

/** Reads `--facet series=RWTC`, which can be given several times. */
export function parseFacet(text: string, facets: Readonly<Record<string, string>>): Record<string, string> {
  const [, facet, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (facet === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a facet id, then = and its value.')
  if (facet in facets) throw new InvalidArgumentError(`The facet ${facet} has a value already.`)
  return { ...facets, [facet]: value }
}

/** Reads a number of values to show. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (/^[0-9]{1,6}$/.test(text) && count > 0) return count
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
}
