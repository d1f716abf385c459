import { WattfeedError } from './errors.ts'

export interface DefinedError<Code extends string, Facts> {
  new (...facts: ErrorArguments<Facts>): WattfeedError & { readonly code: Code } & Readonly<Facts>
  readonly name: string
}

/** An error without facts takes no argument. */
export type ErrorArguments<Facts> = object extends Facts ? [] : [facts: Facts]

/** How an error of a program differs from most. */
export interface ErrorTraits<Facts> {
  /** Whether the same call can succeed later. @default false */
  readonly retryable?: boolean | ((facts: Facts) => boolean)
  /** Its base class, which takes a message. @default WattfeedError */
  readonly base?: typeof WattfeedError
}

/**
 * Defines an error that only wattfeed's own programs throw. Its facts become its fields.
 *
 * @param code for programs; `docs/errors.md` has a row for it
 * @param message says what failed, the value, and the fix
 *
 * @example
 * ```ts
 * const PortError = defineError('PortError', 'port', (facts: { port: number }) => `port ${facts.port} is in use; set PORT`)
 * throw new PortError({ port: 4030 })
 * ```
 */
export function defineError<const Code extends string, Facts extends object = object>(
  name: string,
  code: Code,
  message: (facts: Facts) => string,
  { retryable = false, base = WattfeedError }: ErrorTraits<Facts> = {},
): DefinedError<Code, Facts> {
  class Defined extends base {
    static override readonly name = name
    readonly code = code
    readonly retryable: boolean

    constructor(facts: Facts) {
      super(message(facts))
      this.retryable = typeof retryable === 'boolean' ? retryable : retryable(facts)
      setFacts(this, facts)
    }
  }
  return Defined as unknown as DefinedError<Code, Facts>
}

/** Makes the facts enumerable fields. In Bun each error has a hidden `line` and `column`, which assignment would leave hidden. Its message stays hidden. */
function setFacts(error: Error, facts: object = {}): void {
  for (const [name, value] of Object.entries(facts))
    if (name !== 'message')
      Object.defineProperty(error, name, { value, enumerable: true, configurable: true, writable: true })
}
