import { nearestName } from './bytes/nearestName.ts'
import { WattfeedError } from './errors.ts'

/**
 * An invalid option or argument. No node was called.
 *
 * @example
 * ```ts
 * import { createClient, InvalidArgumentError } from 'wattfeed'
 *
 * try {
 *   createClient({ timeoutMs: 0 })
 * } catch (error) {
 *   if (error instanceof InvalidArgumentError) console.log(error.argument) // timeoutMs
 * }
 * ```
 */
export class InvalidArgumentError extends WattfeedError {
  static override readonly name = 'InvalidArgumentError'
  readonly code = 'invalid_argument'
  readonly retryable = false

  constructor(
    /** Name of the option or argument. */
    readonly argument: string,
    /** The rule that it breaks, to complete "must be …". */
    readonly rule: string,
  ) {
    super(`${argument} must be ${rule}`)
  }
}

/** @throws {@link InvalidArgumentError} unless the value has this `typeof` and is not null. */
export function assertType(
  argument: string,
  value: unknown,
  type: 'object' | 'function' | 'string' | 'boolean',
): void {
  if (typeof value !== type || value === null) throw new InvalidArgumentError(argument, `of type ${type}`)
}

/** The names of all options of a type. TypeScript demands each. */
export type OptionNames<Options> = Readonly<Record<keyof Options, 1>>

/** Returns the members of a larger object that are options. */
export function pickOptions<Options extends object>(given: Options, names: OptionNames<Options>): Options {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(names, name))) as Options
}

/**
 * Checks that options have no name that nothing reads: TypeScript misses it in JavaScript, and in an object that is not written in the call.
 *
 * @param owner - the option that has these ones, if they are nested
 * @throws {@link InvalidArgumentError} for the first unknown name. It names the nearest one.
 */
export function assertOptions<Options extends object>(
  options: Options,
  names: Readonly<Record<keyof Options, unknown>>,
  owner?: string,
): void {
  assertType(owner ?? 'options', options, 'object')
  const prefix = owner === undefined ? '' : `${owner}.`
  for (const name of Object.keys(options))
    if (!Object.hasOwn(names, name))
      throw new InvalidArgumentError(
        prefix + name,
        `left out: there is no such option; the nearest is ${prefix}${nearestName(name, Object.keys(names))}`,
      )
}
