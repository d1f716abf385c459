import type { EiaNames } from '@wattfeed/dataset'
import type { Stage } from '@wattfeed/dataset/disk'
import { findNameMembers, isFacetName } from '@wattfeed/eia/internal'

/** What rows say beside their leaves. */
export type StagedNames = Pick<Stage, 'members' | 'textsOf'>

/** Returns a function for what rows call a code of a facet: the first name that came; null without one. */
export function createNameOf(
  stage: StagedNames,
  facets: readonly string[],
): (facet: string, code: string) => string | null {
  const members = stage.members()
  const texts = new Map(
    facets.map((facet) => [
      facet,
      findNameMembers(facet, members).map((member) => stage.textsOf(member, facet).texts),
    ]),
  )
  return (facet, code) =>
    texts
      .get(facet)
      ?.map((byCode) => byCode.get(code))
      .find(isFacetName) ?? null
}

/**
 * Finds the facet that determines each of some members of rows: the one whose values they name, or else the one with the fewest values.
 * Members without one are left out, because only the rows have them.
 */
export function findEiaNames(
  stage: StagedNames,
  others: readonly string[],
  facets: readonly string[],
): EiaNames[] {
  const members = stage.members()
  const namesOf = new Map(facets.map((facet) => [facet, findNameMembers(facet, members)]))
  return others.flatMap((member) => {
    const rankOf = ({ facet, texts }: EiaNames): number =>
      namesOf.get(facet)?.includes(member) === true ? 0 : texts.size
    const [found] = facets
      .map((facet) => ({ member, facet, ...stage.textsOf(member, facet) }))
      .filter(({ state }) => state === 'determined')
      .toSorted((one, other) => rankOf(one) - rankOf(other))
    return found === undefined ? [] : [{ member, facet: found.facet, texts: found.texts }]
  })
}
