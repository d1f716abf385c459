import type { ResetReason } from '../../live/items.ts'
import type { Step } from '../../live/logView.ts'
import { formatPosition, isSamePlace, type Position } from '../../live/position.ts'
import { createObjectMemo } from '../memo.ts'
import {
  type Bytes,
  COMMENT,
  encode,
  eventBlock,
  positionBlock,
  resetBlock,
  type StreamEvent,
} from './frames.ts'

/** Events that were read for all streams together, in order. */
export interface Batch {
  /** Those that are shown. */
  readonly steps: readonly Step<StreamEvent>[]
  /** Their blocks, one each. */
  readonly frames: readonly Bytes[]
  /** All of them in one. */
  readonly chunk: Bytes
  readonly position: Position
}

/** What a stream needs of the hub. */
export interface StreamSource {
  /** Changes when the chain turned out to be another one. */
  epoch(): object
  /** How far the streams that miss nothing are. */
  position(): Position
  /** Reads the next events, as far as {@link StreamSource.position}. */
  next(from: Position): Promise<Step<StreamEvent>[]>
  /** What the feeds hold, and where that was read. */
  snapshot(ids: ReadonlySet<string> | null): Promise<{ blocks: Bytes; position: Position }>
  /** Called when it is read for the first time. */
  onOpen(stream: ClientStream): void
  onSent(events: number, kind: 'live' | 'replayed'): void
  onEnd(stream: ClientStream, end: StreamEnd): void
}

/** Why a stream ended: the client left, the server stops, or the client was closed. */
export type EndReason = 'left' | 'stopped' | 'overflow' | 'stalled' | 'failed'

export interface StreamEnd {
  reason: EndReason
  /** How many events it was sent. */
  sent: number
  error: unknown
}

export interface StreamRequest {
  /** Null for all feeds. */
  ids: ReadonlySet<string> | null
  /** Where it goes on; null to begin with the newest. */
  from: Position | null
  /** Why it cannot go on from where it was asked to; null if it can. */
  reason: ResetReason | null
  /** Whether to begin with what the feeds hold, where it begins anew. */
  snapshot: boolean
}

/** How often a quiet stream gets a sign of life. */
export const BEAT_MS = 15_000

/** How much waits for a client at most, in bytes. */
const MAX_BUFFERED = 256 * 1024

/** Beats without anything taken until a client is closed: 30 s. */
const MAX_STILL_BEATS = 2

/** Formats a position once for all streams that are there. */
const idOf = createObjectMemo(formatPosition)

const COMMENT_BYTES = encode(COMMENT)
const NOTHING = new Uint8Array()

// Nothing is read ahead: what waits is what the client did not take.
const STRATEGY: QueuingStrategy<Bytes> = {
  highWaterMark: 0,
  size: (chunk) => chunk?.length ?? 0,
}

/** One client's stream: a record, because ten thousand sets of functions would take tens of MB. */
export interface ClientStream extends Omit<StreamRequest, 'from'> {
  readonly source: StreamSource
  controller: ReadableStreamDefaultController<Bytes> | null
  /** `behind` what is sent to all, `reading` to catch up, or `live`. */
  state: 'new' | 'behind' | 'reading' | 'live' | 'ended'
  epoch: object
  /** Null until it begins with the newest events. */
  position: Position | null
  /** The last id that was sent; empty at first. */
  sentId: string
  /** When it was read first, in epoch milliseconds. */
  openedAt: number
  /** How many events it was sent. */
  sent: number
  enqueued: number
  takenAtBeat: number
  stillBeats: number
}

/**
 * Creates a client's stream. It pulls what was before as the client reads, then takes what is read for all.
 *
 * Nothing happens before it is read: the body of a HEAD request is not.
 */
export function createClientStream(
  source: StreamSource,
  { ids, from, reason, snapshot }: StreamRequest,
): ReadableStream<Bytes> {
  const stream: ClientStream = {
    ...{ source, ids, reason, snapshot },
    controller: null,
    state: 'new',
    epoch: source.epoch(),
    position: from,
    sentId: from === null ? '' : idOf(from),
    ...{ openedAt: 0, sent: 0, enqueued: 0, takenAtBeat: 0, stillBeats: 0 },
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

/** Hands a stream what was read for all. */
export function take(stream: ClientStream, batch: Batch): void {
  if (stream.state !== 'live') return
  const { steps, chunk } = partOf(stream, batch)
  const waiting = buffered(stream)
  if (waiting + chunk.length <= MAX_BUFFERED) {
    stream.position = batch.position
    sendSteps(stream, steps, 'live', chunk)
  } else if (waiting > 0) drop(stream, 'overflow')
  else {
    // More than fits at once is no fault of the client's: it is pulled, as what was before.
    fallBehind(stream)
  }
}

/** Makes a stream go on from another position. */
export function reset(stream: ClientStream, reason: ResetReason): void {
  if (stream.state === 'ended') return
  stream.reason = reason
  fallBehind(stream)
}

/** Makes a stream read by itself what it was not handed. */
export function fallBehind(stream: ClientStream): void {
  if (stream.state !== 'live') return
  stream.state = 'behind'
  catchUp(stream)
}

/** Sends a sign of life, or closes a client that takes nothing. Called every {@link BEAT_MS}. */
export function beat(stream: ClientStream): void {
  const waiting = buffered(stream)
  const taken = stream.enqueued - waiting
  stream.stillBeats = waiting > 0 && taken === stream.takenAtBeat ? stream.stillBeats + 1 : 0
  stream.takenAtBeat = taken
  if (stream.stillBeats >= MAX_STILL_BEATS) drop(stream, 'stalled')
  else if (waiting === 0 && stream.position !== null) send(stream, signOfLife(stream, stream.position))
}

const signOfLife = (stream: ClientStream, position: Position): Bytes =>
  stream.sentId === idOf(position) ? COMMENT_BYTES : encode(positionNow(stream, position))

/** Ends a stream in order, as the server stops. */
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

/** Reads what is before the live events, until something waits to be taken or nothing is left. */
async function catchUp(stream: ClientStream): Promise<void> {
  try {
    // What is sent first may still wait, but no later call would come.
    while (stream.state === 'behind' && buffered(stream) <= COMMENT_BYTES.length) await readMore(stream)
  } catch (error) {
    drop(stream, 'failed', error)
  }
}

async function readMore(stream: ClientStream): Promise<void> {
  const { source, position } = stream
  stream.state = 'reading'
  if (stream.epoch !== source.epoch()) stream.reason ??= 'log'
  if (position === null || stream.reason !== null) await beginAnew(stream)
  else if (isSamePlace(position, source.position())) stream.state = 'live'
  else await replay(stream, position)
  if (stream.state === 'reading') stream.state = 'behind'
}

/** Begins with the newest events. */
async function beginAnew(stream: ClientStream): Promise<void> {
  const { source, ids, reason, snapshot } = stream
  stream.epoch = source.epoch()
  stream.reason = null
  const { blocks, position } = snapshot
    ? await source.snapshot(ids)
    : { blocks: NOTHING, position: source.position() }
  stream.position = position
  if (reason !== null) send(stream, encode(resetBlock(reason, position)))
  send(stream, blocks)
  // After a reset the id follows with the next event or beat: who leaves at once shall be told again.
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

/** Returns what the client asked for of a batch. */
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

/** Keeps the first reason: closing may lead to another. */
function end(stream: ClientStream, reason: EndReason, error: unknown = null): boolean {
  const { state, sent } = stream
  if (state === 'ended') return false
  stream.state = 'ended'
  if (state !== 'new') stream.source.onEnd(stream, { reason, sent, error })
  return true
}

function drop(stream: ClientStream, reason: 'overflow' | 'stalled' | 'failed', error: unknown = null): void {
  // An error discards what waits, where `close` would wait for the client to take it.
  if (end(stream, reason, error))
    stream.controller?.error(new Error(`stream closed by the server: ${reason}`))
}
