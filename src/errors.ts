/**
 * Base class of every error that wattfeed throws on purpose.
 *
 * Facts stand in fields, so that a caller never has to parse a message; `code` is a literal that
 * can be switched on. Messages never hold secrets.
 *
 * @example
 * ```ts
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (error instanceof WattfeedError && error.retryable) retryLater()
 *   else throw error
 * }
 * ```
 */
export abstract class WattfeedError extends Error {
  /** Written out in each class, because bundlers rename classes. */
  static override readonly name: string = 'WattfeedError'
  /** What went wrong, for programs. */
  abstract readonly code: string
  /** Whether the same call can succeed later without anything being changed by the caller. */
  abstract readonly retryable: boolean
  override get name(): string {
    return this.constructor.name
  }
}
