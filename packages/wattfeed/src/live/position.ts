import { InvalidArgumentError } from '@wattfeed/base'

/** A place in the event logs of both registries. It is valid on every server and node of the chain. */
export interface Position {
  /** First 8 hex digits of the FeedRegistry's package hash. */
  readonly feedRegistry: string
  /** First 8 hex digits of the AttestationRegistry's package hash. */
  readonly attestationRegistry: string
  /**
   * First 8 hex digits of the SHA-256 of the last AttestationRegistry event. Before the first, of the last FeedRegistry
   * event; `00000000` before any event.
   */
  readonly lastEvent: string
  /** Number of FeedRegistry events up to here. */
  readonly feed: number
  /** Number of AttestationRegistry events up to here. */
  readonly attestation: number
}

/** How long `watch` and a server's stream wait for nodes to reach the position to resume after. */
export const MAX_POSITION_WAIT_MS = 60_000

/** Digest in a position before the first event. */
export const NO_EVENT = '00000000'

// A log's length is a `u32` on chain.
const POSITION = /^([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})\.f(0|[1-9]\d{0,9})\.a(0|[1-9]\d{0,9})$/

/** The form of a position, for error messages. */
export const POSITION_RULE = 'a position from a stream, such as 0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'

/**
 * Parses a position.
 *
 * @example
 * ```ts
 * import { parsePosition } from 'wattfeed/live'
 *
 * console.log(parsePosition('0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204')?.attestation) // 1204
 * ```
 *
 * @returns Null if the text is not a position.
 */
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

/**
 * Parses a position that is an argument.
 *
 * @throws {@link InvalidArgumentError} when the text is not a position.
 */
export function assertPosition(argument: string, text: string): Position {
  const position = parsePosition(text)
  if (position === null) throw new InvalidArgumentError(argument, POSITION_RULE)
  return position
}

/**
 * Formats a position as text.
 *
 * @example
 * ```ts
 * import { formatPosition } from 'wattfeed/live'
 *
 * formatPosition({
 *   feedRegistry: '0f3c9a1e',
 *   attestationRegistry: '7b2d4c88',
 *   lastEvent: '5e1f0a9b',
 *   feed: 36,
 *   attestation: 1204,
 * }) // '0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1204'
 * ```
 */
export function formatPosition(position: Position): string {
  const { feedRegistry, attestationRegistry, lastEvent, feed, attestation } = position
  return `${feedRegistry}-${attestationRegistry}-${lastEvent}.f${feed}.a${attestation}`
}

type Lengths = Pick<Position, 'feed' | 'attestation'>

/** Returns whether a position is past the end of a log. */
export function isAhead(position: Lengths, of: Lengths): boolean {
  return position.feed > of.feed || position.attestation > of.attestation
}

export function isSamePlace(one: Lengths, other: Lengths): boolean {
  return one.feed === other.feed && one.attestation === other.attestation
}
