/**
 * Base class of every error that wattfeed throws on purpose.
 *
 * Details are fields, so callers never need to parse a message. `code` is a literal type to switch on. Messages never
 * contain secrets.
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
  /** Each class sets its name explicitly, because bundlers rename classes. */
  static override readonly name: string = 'WattfeedError'
  /** Identifies the kind of error; unique to its class. */
  abstract readonly code: string
  /** Whether the same call can succeed later. */
  abstract readonly retryable: boolean
  override get name(): string {
    return this.constructor.name
  }
}
