/**
 * Returns the name that a misspelt or shortened one most likely means; undefined if there are none. The distance counts in
 * relation to the length, so that `feedRegistry` is nearer to `feedRegistryPackageHash` than to `verify`.
 */
export const nearestName = (name: string, names: readonly string[]): string | undefined =>
  names.toSorted((one, other) => unlikeness(name, one) - unlikeness(name, other))[0]

const unlikeness = (name: string, other: string): number =>
  editDistance(name, other) / Math.max(name.length, other.length)

/** Returns the Levenshtein distance: how many letters to insert, remove or replace. */
export function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const letter of one) {
    let corner = above[0] ?? 0
    let left = corner + 1
    above = above.map((up, index) => {
      if (index > 0) left = Math.min(up + 1, left + 1, corner + Number(letter !== other[index - 1]))
      corner = up
      return left
    })
  }
  return above[other.length] ?? 0
}
