import { WattfeedError } from '../errors.ts'

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

/** One setting: its name and what its text means. */
export interface Setting<T> {
  readonly name: string
  /** Turns the text into a value; what it throws says what the text must be. */
  readonly parse: (text: string) => T
  /** Its text may hold a password, and is not repeated. */
  readonly isSecret?: boolean
}

/** Reads settings one after another and gathers what is wrong with them. */
export interface SettingsReader {
  /** The value, or `fallback` where it is not set or wrong. An empty one is as good as none. */
  optional<T, F>(setting: Setting<T>, fallback: F): T | F
  /** As {@link SettingsReader.optional}, where it is a fault to leave it out; `why` says for what it is needed. */
  required<T, F>(setting: Setting<T>, fallback: F, why: string): T | F
  /**
   * Adds a fault of settings that hold their own rules and do not go together. Nothing where one of them breaks its
   * own: what they mean together is not known then.
   */
  conflict(names: readonly string[], fault: string): void
  /** Throws a {@link SettingsError} that names every fault. */
  end(): void
}

/**
 * Starts reading.
 *
 * @example
 * ```ts
 * const reader = createSettingsReader(process.env)
 * const port = reader.optional({ name: 'PORT', parse: integer(0, 65_535) }, 4030)
 * reader.end()
 * ```
 */
export function createSettingsReader(environment: Environment): SettingsReader {
  const faults: string[] = []
  const wrong = new Set<string>()
  const textOf = (name: string): string => environment[name]?.trim() ?? ''

  function read<T, F>(setting: Setting<T>, fallback: F, wayOut: string): T | F {
    const text = textOf(setting.name)
    if (text === '') return fallback
    try {
      return setting.parse(text)
    } catch (error) {
      wrong.add(setting.name)
      faults.push(`${nameFault(setting, text)}must be ${ruleOf(error)}${wayOut}`)
      return fallback
    }
  }
  return {
    optional: (setting, fallback) =>
      read(setting, fallback, fallback === null ? '' : `; unset it for ${fallback}`),
    required(setting, fallback, why) {
      if (textOf(setting.name) === '') faults.push(`${setting.name} is not set: ${why}`)
      return read(setting, fallback, '')
    },
    conflict(names, fault) {
      if (!names.some((name) => wrong.has(name))) faults.push(fault)
    },
    end() {
      if (faults.length > 0) throw new SettingsError(faults)
    },
  }
}

const nameFault = <T>({ name, isSecret = false }: Setting<T>, text: string): string =>
  isSecret ? `${name} ` : `${name} is ${JSON.stringify(text)}: it `

const ruleOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
