/**
 * Base class of all errors of wattfeed.
 *
 * Details are fields, so callers need not parse messages; `code` is a literal to switch on. Messages contain no secrets.
 *
 * @example
 * ```ts
 * import { WattfeedError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof WattfeedError)) throw error
 *   console.error(error.code, error.retryable)
 * }
 * ```
 */
export abstract class WattfeedError extends Error {
  /** Name of the class, spelled out because bundlers rename classes. */
  static override readonly name: string = 'WattfeedError'
  /** Code of the error, for programs. */
  abstract readonly code: string
  /** Whether the same call can succeed later. */
  abstract readonly retryable: boolean
  override get name(): string {
    return this.constructor.name
  }
}
