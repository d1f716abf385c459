import { InvalidArgumentError } from '../client/argument.ts'

/** How much of both event logs was seen. The same on every server and node of a chain. */
export interface Position {
  /** First 8 hex digits of the FeedRegistry's package hash. */
  readonly feedRegistry: string
  /** First 8 hex digits of the AttestationRegistry's package hash. */
  readonly attestationRegistry: string
  /**
   * First 8 hex digits of the SHA-256 of the last AttestationRegistry event that was seen. Before the first, of the last
   * FeedRegistry event; `00000000` before any.
   */
  readonly lastEvent: string
  /** How many events of the FeedRegistry were seen. */
  readonly feed: number
  /** How many events of the AttestationRegistry were seen. */
  readonly attestation: number
}

/** Stands for the last event where there is none. */
export const NO_EVENT = '00000000'

// A log's length is a `u32` on chain.
const POSITION = /^([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})\.f(0|[1-9]\d{0,9})\.a(0|[1-9]\d{0,9})$/

/** What a position must look like, in words. */
export const POSITION_RULE = 'a position as the stream sends it, such as 0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'

/** Parses a position; null if the text is none. */
export function parsePosition(text: string): Position | null {
  const [, feedRegistry = '', attestationRegistry = '', lastEvent = '', feed, attestation] =
    POSITION.exec(text) ?? []
  if (feed === undefined) return null
  if (feed === '0' && attestation === '0' && lastEvent !== NO_EVENT) return null
  return {
    feedRegistry,
    attestationRegistry,
    lastEvent,
    feed: Number(feed),
    attestation: Number(attestation),
  }
}

/** Parses a position that a caller gave. @throws {InvalidArgumentError} naming the argument. */
export function assertPosition(argument: string, text: string): Position {
  const position = parsePosition(text)
  if (position === null) throw new InvalidArgumentError(argument, POSITION_RULE)
  return position
}

/**
 * Formats a position.
 *
 * @example
 * ```ts
 * formatPosition(position) // '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'
 * ```
 */
export function formatPosition(position: Position): string {
  const { feedRegistry, attestationRegistry, lastEvent, feed, attestation } = position
  return `${feedRegistry}-${attestationRegistry}-${lastEvent}.f${feed}.a${attestation}`
}

type Lengths = Pick<Position, 'feed' | 'attestation'>

/** Whether a position saw more of a log than there is. */
export function isAhead(position: Lengths, of: Lengths): boolean {
  return position.feed > of.feed || position.attestation > of.attestation
}

/** Whether two positions saw as much of both logs. */
export function isSamePlace(one: Lengths, other: Lengths): boolean {
  return one.feed === other.feed && one.attestation === other.attestation
}
