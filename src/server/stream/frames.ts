import { pick, type ReadEvent, readingOrder, type Step } from 'wattfeed/internal'
import {
  type AttestedData,
  type FeedData,
  formatPosition,
  type Position,
  type ResetReason,
  type SnapshotData,
} from 'wattfeed/live'
import { readingBodyOf } from '../readers/readingBody.ts'

/*
 * Blocks of Server-Sent Events as text, each terminated by an empty line.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

export const encode = (blocks: string): Bytes => encoder.encode(blocks)

/** Heartbeat, which keeps proxies from closing a quiet stream. */
export const COMMENT = ':\n\n'

/** An event, formatted once for all streams. */
export interface StreamEvent extends Pick<ReadEvent, 'log' | 'digest'> {
  /** Null if streams do not show the event. */
  readonly feedId: string | null
  /** Block time of an attestation in epoch milliseconds; null for other events. */
  readonly blockTime: number | null
  /** Its block without the id, which also depends on the position in the other log. */
  readonly block: string
}

/** Formats an event. @throws {ChainDataError} when its data do not match the schema. */
export function toStreamEvent({ log, digest, shown }: ReadEvent): StreamEvent {
  if (shown === null) return { log, digest, feedId: null, blockTime: null, block: '' }
  const name = shown.log === 'FeedRegistry' ? 'feed' : 'attested'
  const block = `event: ${name}\ndata: ${eventJson(shown)}\n\n`
  return { log, digest, feedId: shown.feed_id, blockTime: shown.updated_at, block }
}

/** Formats the block of an event, with the position after it as id. */
export const eventBlock = ({ event, position }: Step<StreamEvent>): string =>
  `id: ${formatPosition(position)}\n${event.block}`

export const positionBlock = (position: Position): string => `id: ${formatPosition(position)}\n\n`

/** Formats a reset. It has no id, so a client that disconnects here resumes from its old position and receives the reset again. */
export const resetBlock = (reason: ResetReason, position: Position): string =>
  `event: reset\ndata: ${JSON.stringify({ reason, position: formatPosition(position) })}\n\n`

/** Formats the value of a feed at the start of the stream. */
export const snapshotBlock = (data: SnapshotData): string =>
  `event: snapshot\ndata: ${JSON.stringify({ ...readingOf(data), state_root_hash: data.state_root_hash })}\n\n`

// The fields of a reading come first, as in `GET /v1/feeds/:id`.

function eventJson(data: AttestedData | FeedData): string {
  const { index, log, log_index, state_root_hash } = data
  return JSON.stringify({ ...readingOf(data), index, log, log_index, state_root_hash })
}

const readingOf = (data: AttestedData | FeedData | SnapshotData): object =>
  data.value === null ? pick(data, readingOrder) : readingBodyOf(data)
