import { WattfeedError } from './errors.ts'

/** The class of an error that was defined by {@link defineError}. */
export interface DefinedError<Code extends string, Facts> {
  new (...facts: ErrorArguments<Facts>): WattfeedError & { readonly code: Code } & FactsOf<Facts>
  readonly name: string
}

/** An error without facts takes no argument. */
export type ErrorArguments<Facts> = object extends Facts ? [facts?: Facts] : [facts: Facts]

type FactsOf<Facts> = Facts extends string ? unknown : Readonly<Facts>

/**
 * Defines an error that only wattfeed's own programs throw. Its facts become its fields; an error whose only fact is a text
 * has none.
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
export function defineError<const Code extends string, Facts = object>(
  name: string,
  code: Code,
  message: (facts: Facts) => string,
  { retryable = false }: { retryable?: boolean | ((facts: Facts) => boolean) } = {},
): DefinedError<Code, Facts> {
  class Defined extends WattfeedError {
    static override readonly name = name
    readonly code = code
    readonly retryable: boolean

    constructor(facts: Facts) {
      super(message(facts))
      this.retryable = typeof retryable === 'boolean' ? retryable : retryable(facts)
      if (typeof facts === 'object') Object.assign(this, facts)
    }
  }
  return Defined as unknown as DefinedError<Code, Facts>
}
