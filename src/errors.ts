/**
 * Base class of every error that wattfeed throws on purpose.
 *
 * Facts are fields, so callers never parse a message; `code` is a literal to switch on. Messages never hold secrets.
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
  /** Spelled out in each class, because bundlers rename classes. */
  static override readonly name: string = 'WattfeedError'
  /** What went wrong, for programs. */
  abstract readonly code: string
  /** Whether the same call can succeed later. */
  abstract readonly retryable: boolean
  override get name(): string {
    return this.constructor.name
  }
}
