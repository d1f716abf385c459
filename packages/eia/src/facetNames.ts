import { memberAt } from '@wattfeed/base'

/** What EIA calls a facet in the member with the name of its value, where that does not follow from the facet's id. */
const otherStems: Readonly<Record<string, readonly string[]>> = {
  duoarea: ['area'],
  fuel2002: ['fueltype'],
  fueltype: ['type'],
  location: ['state'],
  msn: ['series'],
}

/** EIA's text for a name that it does not have. */
const NONE = 'NA'

const bare = (member: string): string => member.toLowerCase().replaceAll(/[-_]/g, '')

/**
 * Returns what rows call the values of each facet, by value: `CA` is `California` in the member `stateDescription` of `stateid`. Rows of
 * some datasets have such members, under names such as `sectorName` and `product-name`.
 */
export function readNames(rows: readonly unknown[], facets: readonly string[]): Map<string, string>[] {
  const members = new Map<string, string>()
  for (const row of rows) for (const member of Object.keys(Object(row))) members.set(bare(member), member)
  return facets.map((facet) => {
    const id = bare(facet)
    const stems = [id, id.replace(/(id|code)$/, ''), ...(otherStems[id] ?? [])]
    const member = stems
      .flatMap((stem) => [members.get(`${stem}name`), members.get(`${stem}description`)])
      .find((found) => found !== undefined)
    return member === undefined ? new Map() : namesIn(rows, { facet, member })
  })
}

function namesIn(
  rows: readonly unknown[],
  { facet, member }: { facet: string; member: string },
): Map<string, string> {
  const names = new Map<string, string>()
  for (const row of rows) {
    const [value, name] = [memberAt(row, facet), memberAt(row, member)]
    if (typeof value !== 'string' || typeof name !== 'string') continue
    if (value !== '' && name !== '' && name !== NONE && !names.has(value)) names.set(value, name)
  }
  return names
}
