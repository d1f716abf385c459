import type { Step } from '../../live/eventReader.ts'
import type { ResetReason } from '../../live/items.ts'
import { formatPosition, type Position } from '../../live/position.ts'
import { COMMENT, eventBlock, positionBlock, resetBlock, type StreamEvent } from './frames.ts'

/** Events that were read for all streams together, in order. */
export interface Batch {
  /** Those that are shown. */
  readonly steps: readonly Step<StreamEvent>[]
  /** Their blocks, one each. */
  readonly frames: readonly Uint8Array<ArrayBuffer>[]
  /** All of them in one. */
  readonly chunk: Uint8Array<ArrayBuffer>
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
  snapshot(ids: ReadonlySet<string> | null): Promise<{ blocks: string; position: Position }>
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

/** One client's stream. */
export interface ClientStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Takes what was read for all. */
  take(batch: Batch): void
  /** Goes on from another position. */
  reset(reason: ResetReason): void
  /** Sends a sign of life, or closes a client that takes nothing. Called every {@link BEAT_MS}. */
  beat(): void
  /** Ends it in order, as the server stops. */
  stop(): void
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

const encoder = new TextEncoder()
const COMMENT_BYTES = encoder.encode(COMMENT)

/**
 * Creates a client's stream. It pulls what was before as the client reads, then takes what is read for all.
 *
 * Nothing happens before it is read: the body of a HEAD request is not.
 */
export function createClientStream(source: StreamSource, request: StreamRequest): ClientStream {
  const { ids, snapshot } = request
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null
  let epoch = source.epoch()
  let position = request.from ?? source.position()
  /** The last id that was sent; empty at first. */
  let sentId = request.from === null ? '' : formatPosition(request.from)
  let reason = request.reason
  let state: 'new' | 'behind' | 'reading' | 'live' | 'ended' = 'new'
  let sent = 0
  let enqueued = 0
  let takenAtBeat = 0
  let stillBeats = 0

  const isEnded = (): boolean => state === 'ended'
  const buffered = (): number => -(controller?.desiredSize ?? 0)

  function send(chunk: Uint8Array<ArrayBuffer>): void {
    if (chunk.length === 0 || isEnded()) return
    enqueued += chunk.length
    controller?.enqueue(chunk)
  }

  function sendPosition(): string {
    sentId = formatPosition(position)
    return positionBlock(position)
  }

  /** Keeps the first reason: closing may lead to another. */
  function end(reason: EndReason, error: unknown = null): boolean {
    if (isEnded()) return false
    const hasBegun = state !== 'new'
    state = 'ended'
    if (hasBegun) source.onEnd(stream, { reason, sent, error })
    return true
  }

  function drop(reason: 'overflow' | 'stalled' | 'failed', error: unknown = null): void {
    // An error discards what waits, where `close` would wait for the client to take it.
    if (end(reason, error)) controller?.error(new Error(`the stream was closed: ${reason}`))
  }

  async function begin(): Promise<void> {
    state = 'reading'
    source.onOpen(stream)
    if (request.from === null || reason !== null) await beginAnew()
    else send(COMMENT_BYTES)
    state = isEnded() ? 'ended' : 'behind'
  }

  /** Begins with the newest events. */
  async function beginAnew(): Promise<void> {
    epoch = source.epoch()
    position = source.position()
    let blocks = ''
    if (snapshot) ({ blocks, position } = await source.snapshot(ids))
    const notice = reason === null ? '' : resetBlock(reason, position)
    const isReset = reason !== null
    reason = null
    // After a reset the id follows with the next event or beat: who leaves at once shall be told again.
    send(encoder.encode(notice + blocks + (isReset && !snapshot ? '' : sendPosition())))
  }

  /** Reads what is before the live events, until something is sent or nothing is left. */
  async function catchUp(): Promise<void> {
    while (state === 'behind' && buffered() === 0) {
      state = 'reading'
      if (epoch !== source.epoch()) reason ??= 'log'
      if (reason !== null) await beginAnew()
      else if (isAt(source.position())) {
        state = 'live'
        return
      } else await replay()
      if (state === 'reading') state = 'behind'
    }
  }

  const isAt = ({ feed, attestation }: Position): boolean =>
    position.feed === feed && position.attestation === attestation

  async function replay(): Promise<void> {
    const before = epoch
    const steps = await source.next(position)
    if (before !== source.epoch() || isEnded()) return
    position = steps.at(-1)?.position ?? position
    sendSteps(steps.filter(isWanted), 'replayed')
  }

  const isWanted = ({ event: { feedId } }: Step<StreamEvent>): boolean =>
    feedId !== null && (ids?.has(feedId) ?? true)

  function sendSteps(
    wanted: readonly Step<StreamEvent>[],
    kind: 'live' | 'replayed',
    chunk?: Batch['chunk'],
  ) {
    const last = wanted.at(-1)
    if (last === undefined) return
    sentId = formatPosition(last.position)
    sent += wanted.length
    source.onSent(wanted.length, kind)
    send(chunk ?? encoder.encode(wanted.map(eventBlock).join('')))
  }

  const guarded = (work: Promise<void>): Promise<void> => work.catch((error) => drop('failed', error))

  const stream: ClientStream = {
    body: new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start(created) {
          controller = created
        },
        async pull() {
          if (state === 'new') await guarded(begin())
          await guarded(catchUp())
        },
        cancel: () => void end('left'),
      },
      // Nothing is read ahead: what waits is what the client did not take.
      { highWaterMark: 0, size: (chunk) => chunk?.length ?? 0 },
    ),
    take(batch) {
      if (state !== 'live') return
      const { steps, chunk } = partOf(batch)
      const waiting = buffered()
      if (waiting + chunk.length <= MAX_BUFFERED) {
        position = batch.position
        sendSteps(steps, 'live', chunk)
      } else if (waiting > 0) drop('overflow')
      else {
        // More than fits at once is no fault of the client's: it is pulled, as what was before.
        state = 'behind'
        guarded(catchUp())
      }
    },
    reset(why) {
      if (isEnded()) return
      reason = why
      if (state !== 'live') return
      state = 'behind'
      guarded(catchUp())
    },
    beat() {
      const taken = enqueued - buffered()
      stillBeats = buffered() > 0 && taken === takenAtBeat ? stillBeats + 1 : 0
      takenAtBeat = taken
      if (stillBeats >= MAX_STILL_BEATS) drop('stalled')
      else if (buffered() === 0 && state !== 'new')
        send(sentId === formatPosition(position) ? COMMENT_BYTES : encoder.encode(sendPosition()))
    },
    stop() {
      if (end('stopped')) controller?.close()
    },
  }

  /** Returns what the client asked for of a batch. */
  function partOf(batch: Batch): Pick<Batch, 'steps' | 'chunk'> {
    if (ids === null) return batch
    const wanted = batch.steps.map(isWanted)
    const frames = batch.frames.filter((_, index) => wanted[index])
    const [only] = frames
    return {
      steps: batch.steps.filter((_, index) => wanted[index]),
      chunk: frames.length === 1 && only !== undefined ? only : Buffer.concat(frames),
    }
  }

  return stream
}
