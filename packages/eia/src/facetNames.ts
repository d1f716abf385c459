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
    const named = stems
      .flatMap((stem) => [members.get(`${stem}name`), members.get(`${stem}description`)])
      .filter((member) => member !== undefined)
    return namesIn(rows, facet, named)
  })
}

function namesIn(rows: readonly unknown[], facet: string, members: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  if (members.length === 0) return names
  for (const row of rows) {
    const value = memberAt(row, facet)
    if (typeof value !== 'string' || value === '' || names.has(value)) continue
    const name = members.map((member) => memberAt(row, member)).find(isName)
    if (name !== undefined) names.set(value, name)
  }
  return names
}

const isName = (text: unknown): text is string => typeof text === 'string' && text !== '' && text !== NONE
