import { WattfeedError } from '../../errors.ts'

/** Settings that break their rules: all of them, a line each. */
export class SettingsError extends WattfeedError {
  readonly code = 'settings'
  readonly retryable = false

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Turns a setting's text into its value; what it throws says what the text must be. */
export type Parse<T> = (text: string) => T

/** Reads settings one after another and gathers what is wrong with them. */
export interface SettingsReader {
  /** The value, or `fallback` where it is not set or wrong. An empty one is as good as none. */
  optional<T, F>(name: string, parse: Parse<T>, fallback: F): T | F
  /** As {@link SettingsReader.optional}, where it is a fault to leave it out. */
  required<T>(name: string, parse: Parse<T>, fallback: T, why: string): T
  /** Throws a {@link SettingsError} that names every fault. */
  end(): void
}

/** Starts reading. Faults repeat no value, because it may be a password. */
export function createSettingsReader(environment: Environment): SettingsReader {
  const faults: string[] = []
  function read<T>(name: string, parse: Parse<T>): T | undefined {
    const text = environment[name]?.trim() ?? ''
    if (text === '') return undefined
    try {
      return parse(text)
    } catch (error) {
      faults.push(`${name} must be ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  return {
    optional: (name, parse, fallback) => read(name, parse) ?? fallback,
    required(name, parse, fallback, why) {
      if ((environment[name]?.trim() ?? '') === '') faults.push(`${name} is not set: ${why}`)
      return read(name, parse) ?? fallback
    },
    end() {
      if (faults.length > 0) throw new SettingsError(faults)
    },
  }
}
