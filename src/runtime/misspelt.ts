import type { Environment, Setting } from './settings.ts'

type Named = Pick<Setting<unknown>, 'name' | 'isCommonName'>

/**
 * Names the variables that are a slip of the pen away from a setting which is not set, with that setting: it would be
 * ignored without a word otherwise. What is set to nothing is passed over, as are names that only look alike:
 * `HOSTNAME`, `PORTS`, `VERIFY_SSL`, `EPA_API_KEY`.
 */
export function misspelt(environment: Environment, settings: readonly Named[]): string[] {
  const isSet = (name: string): boolean => (environment[name]?.trim() ?? '') !== ''
  // What is itself a setting is nearest to itself, and that is set.
  const names = Object.keys(environment).filter(isSet)
  return names.flatMap((name) => {
    const meant = nearest(name, settings)
    return meant === undefined || isSet(meant) ? [] : [`${name} is no setting: did you mean ${meant}?`]
  })
}

/** The setting that takes the fewest slips to become the name, if those are few enough. */
function nearest(name: string, settings: readonly Named[]): string | undefined {
  const near = settings
    .filter(({ isCommonName = false }) => !isCommonName)
    .map((setting) => ({ setting, slips: slipsBetween(name, setting.name) }))
    .filter(({ setting, slips }) => slips <= allowedSlips(setting.name) && beginAlike(name, setting.name))
  return near.sort((one, other) => one.slips - other.slips)[0]?.setting.name
}

// One for every six letters, two at most: none in PORT and HOST, which are close to PATH, POST and HOME.
const allowedSlips = (name: string): number => Math.min(2, Math.floor(name.length / 6))

// Who has other programs' keys beside EIA_API_KEY has them as BEA_API_KEY and EPA_API_KEY.
const beginAlike = (one: string, other: string): boolean => one.slice(0, 2) === other.slice(0, 2)

/**
 * How many letters are missing, too many, wrong, or swapped with their neighbour.
 *
 * @see https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance#Optimal_string_alignment_distance
 */
function slipsBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const slips = [row]
    const at = (line: readonly number[], column: number): number => line[column] ?? Number.POSITIVE_INFINITY
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = one[row - 2] === other[column - 1] && one[row - 1] === other[column - 2]
      slips.push(
        Math.min(
          at(last, column) + 1,
          at(slips, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = slips
  }
  return last[other.length] ?? 0
}
