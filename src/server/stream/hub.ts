import { cacheRead } from '@wattfeed/base'
import type { Client } from 'wattfeed'
import {
  isSamePlace,
  type LogView,
  lengthsOf,
  type Reached,
  readSnapshot,
  readSteps,
  type Step,
} from 'wattfeed/internal'
import type { Position } from 'wattfeed/live'
import type { Log } from '../../runtime/log.ts'
import { defineHttpError } from '../http/httpError.ts'
import { QueryError } from '../http/strictQuery.ts'
import { type Metrics, registerGauge } from '../metrics.ts'
import {
  createClientStream,
  fallBehind,
  reset,
  type StreamEnd,
  type StreamSource,
  stop,
  take,
} from './clientStream.ts'
import {
  createFollower,
  type Follower,
  type ReadStreamEvent,
  type SetTimer,
  StreamsStoppedError,
} from './follower.ts'
import { type Bytes, encode, eventBlock, type StreamEvent, snapshotBlock } from './frames.ts'
import { readKept } from './keptEvents.ts'
import { createOpenStreams, type OpenStreams } from './openStreams.ts'
import { reasonToReset } from './resume.ts'

const StreamsFullError = defineHttpError(
  'StreamsFullError',
  'streams_full',
  (facts: { maxStreams: number }) =>
    `stream limit of ${facts.maxStreams} reached; retry later, or connect to another server`,
  { status: 503, retryable: true },
)

export interface StreamHubOptions {
  client: Pick<Client, 'snapshot'>
  metrics: Pick<Metrics, 'registry' | 'streamEvents' | 'streamsDropped' | 'streamLag'>
  log: Pick<Log, 'info' | 'warn'>
  /** Interval between polls of the newest state root while streams are open, in milliseconds. @default 1000 */
  pollMs?: number
  /** Maximum number of open streams. @default 10000 */
  maxStreams?: number
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Calls a function once after some milliseconds. @default setTimeout */
  schedule?: SetTimer
}

export interface Asked {
  /** Null for all feeds. */
  ids: ReadonlySet<string> | null
  /** Position to resume after; null to start with the next event. */
  from: Position | null
  snapshot: boolean
  /** Whether the client has disconnected. */
  hasLeft: () => boolean
}

/** Manages all streams, and reads events once for all of them. */
export interface StreamHub {
  /**
   * Opens a stream.
   *
   * @throws {QueryError} when an id is not registered.
   * @throws {StreamAheadError} when this server does not reach the position within a minute.
   * @throws {StreamsFullError} when `maxStreams` is reached.
   * @throws {StreamsStoppedError} when the server is shutting down.
   */
  open(asked: Asked): Promise<ReadableStream<Bytes>>
  /** Ends all streams, and rejects new ones. */
  stop(): void
}

/** Creates the hub of a server. It makes no calls to nodes while no stream is open. */
export function createStreamHub({
  client,
  metrics,
  log,
  pollMs = 1_000,
  maxStreams = 10_000,
  now = Date.now,
  schedule = (run, ms) => void setTimeout(run, ms),
}: StreamHubOptions): StreamHub {
  const streams = createOpenStreams(schedule)
  const read: ReadStreamEvent = (view, registry, index) => readKept(view, registry, index, log)
  let opening = 0
  const follower = createFollower({
    client,
    log,
    read,
    pollMs,
    now,
    schedule,
    isNeeded: () => streams.size() + opening > 0,
    onUpdate(update, isStart) {
      if (update.kind === 'events' && !isStart) return handOut(update.steps, update.position)
      for (const stream of streams.all())
        if (update.kind === 'reset') reset(stream, 'log')
        // Events from a time without open streams are only read by streams that resume from there.
        else fallBehind(stream)
    },
  })

  /** Delivers events to all live streams. */
  function handOut(steps: readonly Step<StreamEvent>[], position: Position): void {
    const shown = steps.filter(({ event }) => event.feedId !== null)
    const frames = shown.map((step) => encode(eventBlock(step)))
    const batch = { steps: shown, frames, chunk: Buffer.concat(frames), position }
    if (steps.length > 0) for (const stream of streams.all()) take(stream, batch)
    for (const { event } of shown)
      if (event.blockTime !== null) metrics.streamLag.observe((now() - event.blockTime) / 1000)
  }

  const source = createSource({ metrics, log, follower, streams, read, now })
  registerGauge(metrics.registry, {
    name: 'wattfeed_streams_open',
    help: 'Open streams.',
    read: streams.size,
  })

  async function openStream({ ids, from, snapshot, hasLeft }: Asked): Promise<ReadableStream<Bytes>> {
    for (;;) {
      const { entries, chain } = (await follower.reachedNow()).view.logs
      for (const id of ids ?? [])
        if (!entries.has(id)) throw new QueryError('id', id, 'the feed is not registered')
      const reason = from === null ? null : await reasonToReset(from, hasLeft, { follower, read, schedule })
      // If the chain was replaced meanwhile, start again.
      if (chain === source.epoch()) return createClientStream(source, { ids, from, reason, snapshot })
    }
  }

  return {
    async open(asked) {
      if (follower.isStopped()) throw new StreamsStoppedError()
      if (streams.size() + opening >= maxStreams) throw new StreamsFullError({ maxStreams })
      opening += 1
      follower.start()
      try {
        return await openStream(asked)
      } finally {
        opening -= 1
      }
    },
    stop() {
      follower.stop()
      for (const stream of streams.all()) stop(stream)
    },
  }
}

interface SourceParts extends Pick<StreamHubOptions, 'metrics' | 'log'> {
  follower: Follower
  streams: OpenStreams
  read: ReadStreamEvent
  now: () => number
}

function createSource({ metrics, log, follower, streams, read, now }: SourceParts): StreamSource {
  return {
    epoch: () => follower.reached().view.logs.chain,
    position: () => follower.reached().position,
    next(from) {
      const { view, position } = follower.reached()
      return readSteps(from, position, (log, index) => read(view, log, index))
    },
    async snapshot(ids) {
      let reached = await follower.reachedNow()
      while (!isAtEnd(reached)) reached = await follower.nextRead()
      return { blocks: await snapshotBlocks(reached.view, ids), position: reached.position }
    },
    onOpen(stream) {
      stream.openedAt = now()
      streams.add(stream)
      if (follower.isStopped()) stop(stream)
      else follower.start()
    },
    onSent: (events, kind) => metrics.streamEvents.inc({ kind }, events),
    onEnd(stream, { reason, sent, error }: StreamEnd) {
      streams.delete(stream)
      if (reason !== 'left' && reason !== 'stopped') metrics.streamsDropped.inc({ reason })
      const durationMs = now() - stream.openedAt
      log.info({ reason, sent, durationMs, ...(error === null ? {} : { err: error }) }, 'stream ended')
    },
  }
}

const isAtEnd = ({ view, position }: Reached): boolean => isSamePlace(position, lengthsOf(view))

/** The blocks of all feeds are shared between streams, because thousands of slow clients would otherwise hold as many copies. */
const sharedBlocks = new WeakMap<LogView, Promise<Bytes>>()

/** Formats the current values of feeds. */
function snapshotBlocks(view: LogView, ids: ReadonlySet<string> | null): Promise<Bytes> {
  if (ids !== null) return blocksAt(view, ids)
  return cacheRead(sharedBlocks, view, () => blocksAt(view, null))
}

const blocksAt = async (view: LogView, ids: ReadonlySet<string> | null): Promise<Bytes> =>
  encode((await readSnapshot(view, ids)).map(snapshotBlock).join(''))
