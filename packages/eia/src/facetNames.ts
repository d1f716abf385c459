/** What EIA calls a facet in the member with the name of its value, where that does not follow from the facet's id. */
const otherStems: Readonly<Record<string, readonly string[]>> = {
  duoarea: ['area'],
  fuel2002: ['fueltype'],
  fueltype: ['type'],
  location: ['state'],
  msn: ['series'],
}

const bare = (member: string): string => member.toLowerCase().replaceAll(/[-_]/g, '')

/**
 * Lists the members of rows that may say what EIA calls the value of a facet, the likeliest first: `stateDescription` of `stateid`. Rows of
 * some datasets have such members, under names such as `sectorName` and `product-name`.
 */
export function findNameMembers(facet: string, members: readonly string[]): string[] {
  const byBare = new Map(members.map((member) => [bare(member), member]))
  const id = bare(facet)
  const stems = new Set([id, id.replace(/(id|code)$/, ''), ...(otherStems[id] ?? [])])
  return [...stems]
    .flatMap((stem) => [byBare.get(`${stem}name`), byBare.get(`${stem}description`)])
    .filter((member) => member !== undefined)
}

/** EIA's text for a name that it does not have. */
const NONE = 'NA'

/** Returns whether a text of such a member is a name. */
export const isFacetName = (text: string | null | undefined): text is string =>
  typeof text === 'string' && text !== '' && text !== NONE
