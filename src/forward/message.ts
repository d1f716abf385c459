import { hash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { assertPosition, isAhead, NO_EVENT } from 'wattfeed/internal'
import {
  formatPosition,
  type LiveItem,
  type Position,
  parsePosition,
  type ResetReason,
  StreamError,
} from 'wattfeed/live'

/** A forwarded message: an event of the chain, or a reset of the server's stream. */
export interface Message {
  /**
   * The same for an event on every server and in every run, so that receivers can drop duplicates. Contains no dots.
   */
  readonly id: string
  readonly type: 'attested' | 'feed' | 'reset'
  /** Null for a reset. */
  readonly feedId: string | null
  readonly position: string
  /** JSON, the same bytes in every attempt. */
  readonly body: string
}

// The length of a log is a `u32` on chain.
const LogIndex = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })
const log = (name: string) =>
  Type.Object({ feed_id: Type.String(), log: Type.Literal(name), log_index: LogIndex })

/** The fields that ids and subjects consist of. */
const named = { attested: log('AttestationRegistry'), feed: log('FeedRegistry') }

/**
 * Returns the message of an event.
 *
 * @throws {StreamError} if it identifies no event: the server is another program, or lies.
 */
export function eventMessage(item: Extract<LiveItem, { event: 'attested' | 'feed' }>): Message {
  const { event: type, position, data } = item
  if (!Value.Check(named[type], data))
    throw new StreamError(
      `the server sent an event "${type}" with an invalid feed_id, log or log_index; check --from`,
      false,
    )
  const id = eventId(data, position)
  return { id, type, feedId: data.feed_id, position, body: bodyOf({ id, type, position, data }) }
}

/**
 * Returns the message of a reset, named after the position that is no longer valid.
 *
 * @param previous - the position that could not be resumed from
 * @param position - the new position of the stream
 */
export function resetMessage(reason: ResetReason, previous: string, position: string): Message {
  const id = `${previous.replaceAll('.', '-')}-reset`
  const body = bodyOf({ id, type: 'reset', position, data: { reason, previous, position } })
  return { id, type: 'reset', feedId: null, position, body }
}

type EventData = Extract<LiveItem, { event: 'attested' | 'feed' }>['data']

/**
 * Registries, log and index identify an event. The digest distinguishes it from an event of another chain with the same
 * registries.
 */
function eventId({ log, log_index, feed_id }: EventData, position: string): string {
  const { feedRegistry, attestationRegistry, lastEvent } = assertPosition('position', position)
  const [letter, digest] = log === 'FeedRegistry' ? ['f', shortHash(feed_id)] : ['a', lastEvent]
  return [feedRegistry, attestationRegistry, `${letter}${log_index}`, digest].join('-')
}

const shortHash = (text: string): string => hash('sha256', text).slice(0, 8)

const bodyOf = (envelope: object): string =>
  JSON.stringify(envelope, (_, value) => (typeof value === 'bigint' ? String(value) : value))

/** Returns the position before the first event of the same registries. */
export function firstPosition(position: string): string {
  const registries = assertPosition('position', position)
  return formatPosition({ ...registries, lastEvent: NO_EVENT, feed: 0, attestation: 0 })
}

/** Returns whether a position includes an event that the other does not, or has other registries. */
export function isPast(one: string, other: string): boolean {
  const [left, right] = [parsePosition(one), parsePosition(other)]
  return left === null || right === null || !hasSameRegistries(left, right) || isAhead(left, right)
}

const hasSameRegistries = (one: Position, other: Position): boolean =>
  one.feedRegistry === other.feedRegistry && one.attestationRegistry === other.attestationRegistry
