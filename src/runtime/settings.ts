import { WattfeedError } from '../errors.ts'
import type { Parse } from './parsers.ts'

/** Settings that break their rules: all of them, a line each. */
export class SettingsError extends WattfeedError {
  static override readonly name = 'SettingsError'
  readonly code = 'settings'
  readonly retryable = false

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** One setting, declared once: readers, help texts, tables and faults are made from this. */
export interface Setting<T, D = T | null> {
  readonly name: string
  /** What it is for, for people; what its text must be is the parser's to say. */
  readonly meaning: string
  readonly parse: Parse<T>
  /** The value where it is not set; null or an empty text where there is none. */
  readonly default: D
  /** The default in words, where the value tells people little. */
  readonly defaultText?: string
  /** When it has to be set, if there are times when it need not be. */
  readonly needed?: Need
  /** Its text may hold a password, and is not repeated. */
  readonly isSecret?: boolean
  /** Other people's programs have settings with names like it: none of them is taken for a slip. */
  readonly isCommonName?: boolean
}

/** When a setting has to be set, and why. */
export interface Need {
  /** Follows on from "needed": `to send`. */
  readonly when: string
  /** Follows on from "X is not set:". */
  readonly why: string
}

/** The settings of a program, in the order in which people are shown them. */
export type Settings = Readonly<Record<string, Setting<unknown, unknown>>>

/** What settings come to, under the names of their declarations. */
export type Values<S extends Settings> = {
  -readonly [K in keyof S]: S[K] extends Setting<infer T, infer D> ? T | D : never
}

/** Reads settings one after another and gathers what is wrong with them. */
export interface SettingsReader {
  /**
   * The value, or the default where it is not set or wrong. An empty one is as good as none. It is a fault to leave it
   * out where `isNeeded`.
   */
  read<T, D>(setting: Setting<T, D>, isNeeded?: boolean): T | D
  /** Several at once, in their order. */
  readAll<const S extends Settings>(settings: S, isNeeded?: boolean): Values<S>
  /**
   * Adds a fault of settings that hold their own rules and do not go together. Nothing where one of them breaks its
   * own: what they mean together is not known then.
   */
  conflict(names: readonly string[], fault: string): void
  /** Throws a {@link SettingsError} that names every fault, misspelt names first. */
  end(): void
}

/**
 * Starts reading a program's settings.
 *
 * @param settings All of them: another name that is close to one of theirs is a fault.
 *
 * @example
 * ```ts
 * const settings = { port: { name: 'PORT', meaning: 'where to listen', parse: integer(0, 65_535), default: 4030 } }
 * const reader = createSettingsReader(process.env, settings)
 * const port = reader.read(settings.port)
 * reader.end()
 * ```
 */
export function createSettingsReader(environment: Environment, settings: Settings): SettingsReader {
  const faults: string[] = []
  const wrong = new Set<string>()

  function read<T, D>(setting: Setting<T, D>, isNeeded = false): T | D {
    const { name, parse, needed } = setting
    const text = environment[name]?.trim() ?? ''
    if (text === '') {
      if (isNeeded) faults.push(`${name} is not set${needed === undefined ? '' : `: ${needed.why}`}`)
      return setting.default
    }
    try {
      return parse(text)
    } catch (error) {
      wrong.add(name)
      faults.push(`${nameFault(setting, text)}must be ${ruleOf(error)}${isNeeded ? '' : wayOut(setting)}`)
      return setting.default
    }
  }
  return {
    read,
    readAll(settings, isNeeded) {
      const values = Object.entries(settings).map(([key, setting]) => [key, read(setting, isNeeded)])
      return Object.fromEntries(values)
    },
    conflict(names, fault) {
      if (!names.some((name) => wrong.has(name))) faults.push(fault)
    },
    end() {
      const all = [...misspelt(environment, Object.values(settings)), ...faults]
      if (all.length > 0) throw new SettingsError(all)
    },
  }
}

const nameFault = ({ name, isSecret = false }: Setting<unknown, unknown>, text: string): string =>
  isSecret ? `${name} ` : `${name} is ${JSON.stringify(text)}: it `

const wayOut = ({ default: value }: Setting<unknown, unknown>): string =>
  value === null ? '' : `; unset it for ${value}`

const ruleOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

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
