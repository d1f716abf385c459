import { assertOptions, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import type { ReadOptions } from './reads.ts'
import { type VerifyLevel, verifyLevels } from './verification.ts'

/** Maximum delay of a timer, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** @throws {@link InvalidArgumentError} unless the text can be encoded as UTF-8, as on chain. */
export function assertFeedId(feedId: string): void {
  if (typeof feedId !== 'string' || !feedId.isWellFormed())
    throw new InvalidArgumentError(
      'feedId',
      'a string without lone surrogates, because the chain stores UTF-8',
    )
}

/** @throws {@link InvalidArgumentError} unless it is a non-negative safe integer. */
export function assertIndex(argument: string, index: number): void {
  if (!Number.isSafeInteger(index) || index < 0)
    throw new InvalidArgumentError(argument, `an integer from 0 to 2^53 - 1, not ${index}`)
}

// Seconds and digits of dates are smaller; microseconds are larger.
const MIN_MOMENT = 1e11
const MAX_MOMENT = 1e13 - 1

/** @throws {@link InvalidArgumentError} when the digits of the moment are not those of milliseconds. */
export function assertMoment(argument: string, ms: number): void {
  if (!(ms >= MIN_MOMENT && ms <= MAX_MOMENT))
    throw new InvalidArgumentError(argument, `epoch milliseconds (12 or 13 digits), not ${ms}`)
}

/** @throws {@link InvalidArgumentError} unless it is a positive safe integer. */
export function assertCount(argument: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError(argument, 'a positive integer')
}

/** @throws {@link InvalidArgumentError} unless it is at least `min` and a timer can wait that long. */
export function assertDuration(argument: string, milliseconds: number, min = 1): void {
  if (!Number.isSafeInteger(milliseconds) || milliseconds < min || milliseconds > MAX_TIMER_MS)
    throw new InvalidArgumentError(argument, `an integer from ${min} to ${MAX_TIMER_MS}`)
}

/**
 * Returns a package hash as 64 lower-case hex digits, without `hash-`.
 *
 * @throws {@link InvalidArgumentError} unless it is one.
 */
export function parsePackageHash(argument: string, text: string): string {
  const hex = /^(?:hash-)?([0-9a-f]{64})$/i.exec(text)?.[1]
  if (hex === undefined)
    throw new InvalidArgumentError(argument, '64 hex digits, with or without "hash-" before them')
  return hex.toLowerCase()
}

/**
 * Returns a URL unchanged. The error does not quote it, because it may contain a password.
 *
 * @throws {@link InvalidArgumentError} unless its scheme is `http` or `https`.
 */
export function parseHttpUrl(argument: string, text: string): string {
  const protocol = typeof text === 'string' && URL.canParse(text) ? new URL(text).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidArgumentError(argument, 'a URL that starts with http:// or https://')
  return text
}

/** @throws {@link InvalidArgumentError} on an unknown level, or `full` without a block hash. */
export function assertVerify(level: VerifyLevel, trustedBlockHash: string | null): void {
  if (!verifyLevels.includes(level)) throw new InvalidArgumentError('verify', "'off', 'proofs' or 'full'")
  if (level === 'full') assertBlockHash('trustedBlockHash', trustedBlockHash)
}

/** @throws {@link InvalidArgumentError} unless it has the form of a block hash. */
export function assertBlockHash(argument: string, hash: string | null): void {
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/i.test(hash))
    throw new InvalidArgumentError(argument, "the 64 hex digits of a switch block's hash")
}

/** The names of {@link ReadOptions}. */
export const readOptionNames: OptionNames<ReadOptions> = { signal: 1 }

/** @throws {@link InvalidArgumentError} for an option that no read has. */
export function assertReadOptions(options: ReadOptions = {}): void {
  assertOptions(options, readOptionNames)
}
