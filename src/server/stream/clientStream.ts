import { isSamePlace, type Step } from 'wattfeed/internal'
import { formatPosition, type Position, type ResetReason } from 'wattfeed/live'
import { createObjectMemo } from '../http/memo.ts'
import {
  type Bytes,
  COMMENT,
  encode,
  eventBlock,
  positionBlock,
  resetBlock,
  type StreamEvent,
} from './frames.ts'

/** Events that were read once for all live streams, in order. */
export interface Batch {
  /** The visible events. */
  readonly steps: readonly Step<StreamEvent>[]
  /** The encoded block of each event. */
  readonly frames: readonly Bytes[]
  /** All blocks concatenated. */
  readonly chunk: Bytes
  readonly position: Position
}

/** The hub, as a stream uses it. */
export interface StreamSource {
  /** A new object after the chain was replaced. */
  epoch(): object
  /** The position of live streams. */
  position(): Position
  /** Reads the next events, up to {@link StreamSource.position}. */
  next(from: Position): Promise<Step<StreamEvent>[]>
  /** Reads the current values of feeds, and the position of that read. */
  snapshot(ids: ReadonlySet<string> | null): Promise<{ blocks: Bytes; position: Position }>
  /** Called when the client starts to read. */
  onOpen(stream: ClientStream): void
  onSent(events: number, kind: 'live' | 'replayed'): void
  onEnd(stream: ClientStream, end: StreamEnd): void
}

/** Why a stream ended: the client disconnected, the server is shutting down, or the server closed the stream. */
export type EndReason = 'left' | 'stopped' | 'overflow' | 'stalled' | 'failed'

export interface StreamEnd {
  reason: EndReason
  /** Number of events sent. */
  sent: number
  error: unknown
}

export interface StreamRequest {
  /** Null for all feeds. */
  ids: ReadonlySet<string> | null
  /** Position to resume after; null to start with the next event. */
  from: Position | null
  /** Why the stream cannot resume from the requested position; null if it can. */
  reason: ResetReason | null
  /** Whether to send the current values of feeds, unless the stream resumes. */
  snapshot: boolean
}

/** Interval of heartbeats on a quiet stream. */
export const BEAT_MS = 15_000

/** Maximum size of data that waits for a client, in bytes. */
const MAX_BUFFERED = 256 * 1024

/** A stream is closed after this many heartbeats (30 s) in which the client read nothing. */
const MAX_STILL_BEATS = 2

/** Formats a position once for all streams. */
const idOf = createObjectMemo(formatPosition)

const COMMENT_BYTES = encode(COMMENT)
const NOTHING = new Uint8Array()

// No read-ahead, so the queue only contains data that the client has not read yet.
const STRATEGY: QueuingStrategy<Bytes> = {
  highWaterMark: 0,
  size: (chunk) => chunk?.length ?? 0,
}

/** The stream of one client. It is a record, because closures for ten thousand streams would take tens of MB. */
export interface ClientStream extends Omit<StreamRequest, 'from'> {
  readonly source: StreamSource
  controller: ReadableStreamDefaultController<Bytes> | null
  /** `behind` the live events, `reading` to catch up, or `live`. */
  state: 'new' | 'behind' | 'reading' | 'live' | 'ended'
  epoch: object
  /** Null until the first position is known. */
  position: Position | null
  /** The last id sent; empty at first. */
  sentId: string
  /** When the client started to read, in epoch milliseconds. */
  openedAt: number
  /** Number of events sent. */
  sent: number
  enqueued: number
  takenAtBeat: number
  stillBeats: number
}

/**
 * Creates a client's stream. It reads past events at the pace of the client, and then receives live events from the hub.
 *
 * It does nothing until it is read, because nobody reads the body of a HEAD request.
 */
export function createClientStream(
  source: StreamSource,
  { ids, from, reason, snapshot }: StreamRequest,
): ReadableStream<Bytes> {
  const stream: ClientStream = {
    source,
    ids,
    reason,
    snapshot,
    controller: null,
    state: 'new',
    epoch: source.epoch(),
    position: from,
    sentId: from === null ? '' : idOf(from),
    openedAt: 0,
    sent: 0,
    enqueued: 0,
    takenAtBeat: 0,
    stillBeats: 0,
  }
  return new ReadableStream(
    {
      start(controller) {
        stream.controller = controller
      },
      pull: () => pull(stream),
      cancel: () => void end(stream, 'left'),
    },
    STRATEGY,
  )
}

/** Delivers a batch to one stream. */
export function take(stream: ClientStream, batch: Batch): void {
  if (stream.state !== 'live') return
  const { steps, chunk } = partOf(stream, batch)
  const waiting = buffered(stream)
  if (waiting + chunk.length <= MAX_BUFFERED) {
    stream.position = batch.position
    sendSteps(stream, steps, 'live', chunk)
  } else if (waiting > 0) drop(stream, 'overflow')
  else {
    // The batch alone exceeds the buffer, although the client keeps up. The stream reads it at the pace of the client.
    fallBehind(stream)
  }
}

/** Resets a stream to another position. */
export function reset(stream: ClientStream, reason: ResetReason): void {
  if (stream.state === 'ended') return
  stream.reason = reason
  fallBehind(stream)
}

/** Switches a live stream to reading events at the pace of its client. */
export function fallBehind(stream: ClientStream): void {
  if (stream.state !== 'live') return
  stream.state = 'behind'
  catchUp(stream)
}

/** Sends a heartbeat, or closes the stream of a client that reads nothing. Called every {@link BEAT_MS}. */
export function beat(stream: ClientStream): void {
  const waiting = buffered(stream)
  const taken = stream.enqueued - waiting
  stream.stillBeats = waiting > 0 && taken === stream.takenAtBeat ? stream.stillBeats + 1 : 0
  stream.takenAtBeat = taken
  if (stream.stillBeats >= MAX_STILL_BEATS) drop(stream, 'stalled')
  else if (waiting === 0 && stream.position !== null) send(stream, heartbeat(stream, stream.position))
}

const heartbeat = (stream: ClientStream, position: Position): Bytes =>
  stream.sentId === idOf(position) ? COMMENT_BYTES : encode(positionNow(stream, position))

/** Closes a stream because the server is shutting down. */
export function stop(stream: ClientStream): void {
  if (end(stream, 'stopped')) stream.controller?.close()
}

const buffered = ({ controller }: ClientStream): number => -(controller?.desiredSize ?? 0)

async function pull(stream: ClientStream): Promise<void> {
  if (stream.state === 'new') begin(stream)
  await catchUp(stream)
}

function begin(stream: ClientStream): void {
  stream.state = 'behind'
  stream.source.onOpen(stream)
  if (stream.position !== null && stream.reason === null) send(stream, COMMENT_BYTES)
}

/** Reads past events until data waits for the client, or the stream is live. */
async function catchUp(stream: ClientStream): Promise<void> {
  try {
    // A first comment may still wait in the queue. Without this allowance, nothing would call this function again.
    while (stream.state === 'behind' && buffered(stream) <= COMMENT_BYTES.length) await readMore(stream)
  } catch (error) {
    drop(stream, 'failed', error)
  }
}

async function readMore(stream: ClientStream): Promise<void> {
  const { source, position } = stream
  stream.state = 'reading'
  if (stream.epoch !== source.epoch()) stream.reason ??= 'log'
  if (position === null || stream.reason !== null) await restart(stream)
  else if (isSamePlace(position, source.position())) stream.state = 'live'
  else await replay(stream, position)
  if (stream.state === 'reading') stream.state = 'behind'
}

/** Starts at the current position, after a reset or without a position to resume from. */
async function restart(stream: ClientStream): Promise<void> {
  const { source, ids, reason, snapshot } = stream
  stream.epoch = source.epoch()
  stream.reason = null
  const { blocks, position } = snapshot
    ? await source.snapshot(ids)
    : { blocks: NOTHING, position: source.position() }
  stream.position = position
  if (reason !== null) send(stream, encode(resetBlock(reason, position)))
  send(stream, blocks)
  // After a reset, the id follows with the next event or heartbeat, so a client that disconnects before receives the reset again.
  if (reason === null || snapshot) send(stream, encode(positionNow(stream, position)))
}

async function replay(stream: ClientStream, from: Position): Promise<void> {
  const { source, epoch } = stream
  const steps = await source.next(from)
  if (epoch !== source.epoch() || stream.state === 'ended') return
  stream.position = steps.at(-1)?.position ?? from
  sendSteps(
    stream,
    steps.filter((step) => isWanted(stream, step)),
    'replayed',
  )
}

const isWanted = ({ ids }: ClientStream, { event: { feedId } }: Step<StreamEvent>): boolean =>
  feedId !== null && (ids?.has(feedId) ?? true)

/** Returns the part of a batch that the client requested. */
function partOf(stream: ClientStream, batch: Batch): Pick<Batch, 'steps' | 'chunk'> {
  if (stream.ids === null) return batch
  const wanted = batch.steps.map((step) => isWanted(stream, step))
  const frames = batch.frames.filter((_, index) => wanted[index])
  const [only] = frames
  return {
    steps: batch.steps.filter((_, index) => wanted[index]),
    chunk: frames.length === 1 && only !== undefined ? only : Buffer.concat(frames),
  }
}

function sendSteps(
  stream: ClientStream,
  steps: readonly Step<StreamEvent>[],
  kind: 'live' | 'replayed',
  chunk?: Bytes,
): void {
  const last = steps.at(-1)
  if (last === undefined) return
  stream.sentId = idOf(last.position)
  stream.sent += steps.length
  stream.source.onSent(steps.length, kind)
  send(stream, chunk ?? encode(steps.map(eventBlock).join('')))
}

function positionNow(stream: ClientStream, position: Position): string {
  stream.sentId = idOf(position)
  return positionBlock(position)
}

function send(stream: ClientStream, chunk: Bytes): void {
  if (chunk.length === 0 || stream.state === 'ended') return
  stream.enqueued += chunk.length
  stream.controller?.enqueue(chunk)
}

/** Ends a stream, and returns whether it was open. Only the first reason counts, because closing may cause another. */
function end(stream: ClientStream, reason: EndReason, error: unknown = null): boolean {
  const { state, sent } = stream
  if (state === 'ended') return false
  stream.state = 'ended'
  if (state !== 'new') stream.source.onEnd(stream, { reason, sent, error })
  return true
}

function drop(stream: ClientStream, reason: 'overflow' | 'stalled' | 'failed', error: unknown = null): void {
  // `error` discards queued data. `close` would wait until the client reads it.
  if (end(stream, reason, error))
    stream.controller?.error(new Error(`stream closed by the server: ${reason}`))
}
