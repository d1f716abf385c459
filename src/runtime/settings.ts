import { WattfeedError } from '../errors.ts'
import { misspelt } from './misspelt.ts'
import type { Parse } from './parsers.ts'

/** Settings break their rules; the message has a line for each. */
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

/** One setting, declared once: reading, help, tables and faults all follow from this. */
export interface Setting<T, D = T | null> {
  readonly name: string
  /** What it is for, for people; the parser's rule says what its text must be. */
  readonly meaning: string
  readonly parse: Parse<T>
  /** The value if it is not set; null or an empty text for none. */
  readonly default: D
  /** The default in words, if the value means little to people. */
  readonly defaultText?: string
  /** When it is required, if not always optional. */
  readonly needed?: Need
  /** Whether its text may hold a password and must not be shown. */
  readonly isSecret?: boolean
  /** Whether other programs have similar names, which are then not taken for misspellings. */
  readonly isCommonName?: boolean
}

/** When a setting is required, and why. */
export interface Need {
  /** Continues "needed": `to send`. */
  readonly when: string
  /** Continues "X is not set:". */
  readonly why: string
}

/** The settings of a program, in the order of its help. */
export type Settings = Readonly<Record<string, Setting<unknown, unknown>>>

/** The values of settings, under the names of their declarations. */
export type Values<S extends Settings> = {
  -readonly [K in keyof S]: S[K] extends Setting<infer T, infer D> ? T | D : never
}

/** Reads settings and collects their faults. */
export interface SettingsReader {
  /**
   * Returns the value, or the default if it is not set, empty or wrong. If `isNeeded`, leaving it out is a fault.
   */
  read<T, D>(setting: Setting<T, D>, isNeeded?: boolean): T | D
  /** Reads several, in order. */
  readAll<const S extends Settings>(settings: S, isNeeded?: boolean): Values<S>
  /** Adds a fault of settings that contradict each other, unless one of them is itself wrong. */
  conflict(names: readonly string[], fault: string): void
  /** Ends reading. @throws {SettingsError} with every fault, misspelt names first. */
  end(): void
}

/**
 * Starts reading a program's settings.
 *
 * @param settings Those that the help shows. Only these are read; any other setting keeps its default. A variable with a
 * similar name is a fault.
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
  const shown = new Set(Object.values(settings).map(({ name }) => name))

  function read<T, D>(setting: Setting<T, D>, isNeeded = false): T | D {
    const { name, parse, needed } = setting
    const text = (shown.has(name) && environment[name]?.trim()) || ''
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
