import type { StaticDecode, TObject, TOptional, TProperties, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { authorizationSecrets, defineError, nearestName, urlSecrets } from '@wattfeed/base'
import { isTypo } from './isTypo.ts'
import { parseText } from './parseText.ts'

export const SettingsError = defineError(
  'SettingsError',
  'settings',
  (facts: { faults: readonly string[] }) => facts.faults.join('\n'),
)

export type Environment = Readonly<Record<string, string | undefined>>

export interface Need {
  /** Continues "needed": `to send`. */
  readonly when: string
  /** Continues "X is not set:". */
  readonly why: string
}

/** The options of a setting besides its type. Parsing, help, tables and faults all follow from them. */
export interface SettingOptions {
  /** Its purpose, for people. The rule for its text follows from the schema. */
  readonly description?: string
  /** The value if it is not set, as it would be written. A setting without default is optional, and null if not set. */
  readonly default?: string | number
  /** The default in words, if the value alone is hard to read. */
  readonly defaultText?: string
  /** When it is required, if not always optional. */
  readonly needed?: Need
  /** Whether its text may hold a password and must not be shown. */
  readonly isSecret?: boolean
  /** Whether other programs use similar names, which are then not taken for misspellings. */
  readonly isCommonName?: boolean
  readonly maximum?: number
  /** Lists what contradicts other settings, given by their names in programs. Those that are themselves wrong are missing. */
  conflicts?(values: object): readonly string[]
}

export const withOptions = <T extends TSchema>(setting: T, options: SettingOptions): T => ({
  ...setting,
  ...options,
})

/** Returns settings in the order of a program's help, with what it says differently of them. */
export function vary<K extends string, P extends Record<K, TSchema>>(
  settings: P,
  changes: Record<K, SettingOptions>,
): Pick<P, K> {
  const names = Object.keys(changes) as K[]
  return Object.fromEntries(names.map((name) => [name, withOptions(settings[name], changes[name])])) as Pick<
    P,
    K
  >
}

/** The name of a setting in programs: `CASPER_RPC_URL` is `casperRpcUrl` there. */
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Others}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Others>>}`
  : Lowercase<Name>

const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The values of settings, by their names in programs. */
export type SettingValues<P extends TProperties> = {
  -readonly [K in keyof P & string as CamelCase<K>]: P[K] extends TOptional<TSchema>
    ? StaticDecode<P[K]> | null
    : StaticDecode<P[K]>
}

/** The settings of a program, in the order of its help. */
export type Settings = Pick<TObject, 'properties'>

/** Returns the secrets in the values of settings. */
export const settingSecrets = (
  { properties }: Settings,
  values: Readonly<Record<string, unknown>>,
): string[] =>
  Object.entries<SettingOptions>(properties).flatMap(([name, { isSecret = false }]) =>
    isSecret ? secretsIn(values[camelCase(name)]) : [],
  )

/** Returns the secrets in a text, a URL, several URLs, or headers by host. */
function secretsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:/i.test(value) ? urlSecrets(value) : [value]
  if (Array.isArray(value)) return value.flatMap(secretsIn)
  return Object.values(Object(value)).map(String).flatMap(authorizationSecrets)
}

/**
 * Parses a program's settings. Text that is empty or blank counts as not set. A variable whose name is a typo away from
 * a setting is a fault.
 *
 * @param needed names of settings that must be set; they have no default now
 * @throws {SettingsError} with every fault, misspelt names first.
 */
export function parseSettings<P extends TProperties>(
  schema: TObject<P>,
  environment: Environment,
  needed: readonly (keyof P)[] = [],
): SettingValues<P> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, setting] of Object.entries<TSchema>(schema.properties)) {
    const isNeeded = needed.includes(name)
    const text = environment[name]?.trim() ?? ''
    try {
      if (text !== '') values[camelCase(name)] = parseText(setting, text)
      else if (isNeeded) faults.push(notSet(name, setting))
      else values[camelCase(name)] = defaultOf(setting)
    } catch (error) {
      const wayOut = isNeeded || setting.default === undefined ? '' : `; unset it for ${setting.default}`
      faults.push(
        `${name} ${quote(setting, text)}must be ${error instanceof Error ? error.message : error}${wayOut}`,
      )
    }
  }
  const conflicts = Object.values<SettingOptions>(schema.properties).flatMap(
    (setting) => setting.conflicts?.(values) ?? [],
  )
  const all = [...misspelt(environment, schema), ...faults, ...conflicts]
  if (all.length > 0) throw new SettingsError({ faults: all })
  // Complete, because there are no faults.
  return values as SettingValues<P>
}

/**
 * Lists the variables whose names are a typo away from a setting that is not set, one message each: `VERFY`, `ATTESTER_KEYPATH`.
 * Empty variables count as not set.
 */
export function misspelt(environment: Environment, { properties }: Settings): string[] {
  const isSet = (name: string): boolean => (environment[name]?.trim() ?? '') !== ''
  const settings = Object.keys(properties).filter((name) => !(properties[name]?.isCommonName ?? false))
  return Object.keys(environment)
    .filter((name) => isSet(name) && !Object.hasOwn(properties, name))
    .flatMap((name) => {
      const meant = nearestName(
        name,
        settings.filter((setting) => isTypo(name, setting)),
      )
      return meant === undefined || isSet(meant) ? [] : `${name} is not a setting; did you mean ${meant}?`
    })
}

const defaultOf = (setting: TSchema): unknown =>
  setting.default === undefined ? null : Value.Decode(setting, setting.default)

export function notSet(name: string, { needed }: SettingOptions): string {
  return `${name} is not set${needed === undefined ? '' : `: ${needed.why}`}`
}

const quote = ({ isSecret = false }: SettingOptions, text: string): string =>
  isSecret ? '' : `is ${JSON.stringify(text)}: it `
