import type { TObject } from '@sinclair/typebox'
import { editDistance, nearestName } from '@wattfeed/base'

// As in settings.ts, which imports this file.
type Environment = Readonly<Record<string, string | undefined>>
type Settings = Pick<TObject, 'properties'>

/**
 * Lists the variables whose names are a typo away from an unset setting, one message each: `VERFY`, `ATTESTER_KEYPATH`.
 * A program must not start with one.
 */
export const misspelt = (environment: Environment, settings: Settings): string[] =>
  listMeant(environment, settings, isSlip).map(
    ([name, meant]) => `${name} is not a setting; did you mean ${meant}?`,
  )

/**
 * Lists the variables whose names resemble an unset setting, one message each: `RPC_URL`, `LOG_LVL`. They may belong to
 * another program, so this one starts, and warns that it ignores them.
 */
export const similarNames = (environment: Environment, settings: Settings): string[] =>
  listMeant(environment, settings, isSimilar).map(
    ([name, meant]) =>
      `${name} is set, but it is not a setting of this program and is ignored; did you mean ${meant}?`,
  )

/** Lists [name, setting] of the variables that are meant for a setting that is not set; empty variables count as unset. */
function listMeant(
  environment: Environment,
  { properties }: Settings,
  isAlike: (name: string, setting: string, isCommonName: boolean) => boolean,
): [name: string, meant: string][] {
  const isSet = (name: string): boolean => (environment[name]?.trim() ?? '') !== ''
  return Object.keys(environment)
    .filter((name) => isSet(name) && !Object.hasOwn(properties, name))
    .flatMap((name) => {
      const alike = Object.keys(properties).filter((setting) =>
        isAlike(name, setting, properties[setting]?.isCommonName ?? false),
      )
      const meant = nearestName(name, alike)
      return meant === undefined || isSet(meant) ? [] : [[name, meant] satisfies [string, string]]
    })
}

function isSlip(name: string, setting: string, isCommonName: boolean): boolean {
  if (isCommonName || !beginAlike(name, setting)) return false
  const edits = editDistance(name, setting)
  const maxEdits = maxSlips(setting)
  // Two letters swapped count as two edits.
  return edits <= maxEdits || (maxEdits === 1 && edits === 2 && haveSameLetters(name, setting))
}

// One per six letters, at most two: none in PORT and HOST, which are close to PATH, POST and HOME.
const maxSlips = (name: string): number => Math.min(2, Math.floor(name.length / 6))

// Keys of other programs: BEA_API_KEY, EPA_API_KEY.
const beginAlike = (one: string, other: string): boolean => one.slice(0, 2) === other.slice(0, 2)

const haveSameLetters = (one: string, other: string): boolean => sortLetters(one) === sortLetters(other)

const sortLetters = (text: string): string => [...text].sort().join('')

const isSimilar = (name: string, setting: string): boolean =>
  !commonNames.has(name) && (isPartOf(name, setting) || lacksOrAddsLetters(name, setting))

/** Names that many programs read. */
const commonNames = new Set(['API_KEY', 'BASE_URL', 'STATE_DIR', 'HOSTS', 'PORTS', 'LOGLEVEL', 'LOG_LEVELS'])

/** Whether the name is the first or the last words of a setting, two at least: `CASPER_CHAIN`, `RPC_URL`. */
const isPartOf = (name: string, setting: string): boolean =>
  name.includes('_') && (setting.startsWith(`${name}_`) || setting.endsWith(`_${name}`))

/** Whether letters were only left out or only added: `LOG_LVL`, `PORTT`. Wrong letters make other words: `POST`. */
function lacksOrAddsLetters(name: string, setting: string): boolean {
  const edits = Math.abs(name.length - setting.length)
  return edits <= maxSlips(setting) + 1 && beginAlike(name, setting) && edits === editDistance(name, setting)
}
