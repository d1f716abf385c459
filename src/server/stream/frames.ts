import type { AttestedData, FeedData, ResetReason, SnapshotData } from '../../live/items.ts'
import type { ReadEvent, Step } from '../../live/logView.ts'
import { formatPosition, type Position } from '../../live/position.ts'
import { feedBody } from '../feeds.ts'

/*
 * Blocks of Server-Sent Events as text, each with the empty line that ends it.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

/** Blocks as they are sent. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** Returns the bytes of blocks. */
export const encode = (blocks: string): Bytes => encoder.encode(blocks)

/** Keeps proxies from closing a quiet stream. */
export const COMMENT = ':\n\n'

/** An event as it is kept for all streams. */
export interface StreamEvent extends Pick<ReadEvent, 'log' | 'digest'> {
  /** Null where nothing is shown. */
  readonly feedId: string | null
  /** Block time of an attestation in epoch milliseconds, else null. */
  readonly blockTime: number | null
  /** Its block without the id, which depends on what a stream has seen of the other log. */
  readonly block: string
}

/** Formats an event, once for all streams. @throws {ChainDataError} */
export function toStreamEvent({ log, digest, shown }: ReadEvent): StreamEvent {
  if (shown === null) return { log, digest, feedId: null, blockTime: null, block: '' }
  const name = shown.log === 'FeedRegistry' ? 'feed' : 'attested'
  const block = `event: ${name}\ndata: ${eventJson(shown)}\n\n`
  return { log, digest, feedId: shown.feed_id, blockTime: shown.updated_at, block }
}

/** The block of an event with the position after it. */
export const eventBlock = ({ event, position }: Step<StreamEvent>): string =>
  `id: ${formatPosition(position)}\n${event.block}`

/** Only says how far the stream is. */
export const positionBlock = (position: Position): string => `id: ${formatPosition(position)}\n\n`

/** Says that the stream goes on elsewhere. Without an id: who leaves here asks again from where it was. */
export const resetBlock = (reason: ResetReason, position: Position): string =>
  `event: reset\ndata: ${JSON.stringify({ reason, position: formatPosition(position) })}\n\n`

/** Says what a feed held when the stream began. */
export const snapshotBlock = (data: SnapshotData): string =>
  `event: snapshot\ndata: ${snapshotJson(data)}\n\n`

// The fields of a reading come first, in the order and the form of `GET /v1/feeds/:id`.

function eventJson(data: AttestedData | FeedData): string {
  const { index, log, log_index, state_root_hash } = data
  return JSON.stringify({ ...readingOf(data), index, log, log_index, state_root_hash })
}

const snapshotJson = (data: SnapshotData): string =>
  JSON.stringify({ ...readingOf(data), state_root_hash: data.state_root_hash })

function readingOf(data: AttestedData | FeedData | SnapshotData): object {
  if (data.value !== null) return feedBody(data)
  const { feed_id, decimals, unit, title, source, route, frequency, description } = data
  const [value, amount, period, source_hash, updated_at] = [null, null, null, null, null]
  return {
    ...{ feed_id, decimals, unit, title, source, route, frequency, description },
    ...{ value, amount, period, source_hash, updated_at },
  }
}
