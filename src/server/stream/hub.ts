import { Gauge } from 'prom-client'
import type { Client } from '../../client/index.ts'
import {
  endOf,
  type Head,
  isAheadOf,
  isOfOtherRegistries,
  isOfSameChain,
  lastEventOf,
  lengthsOf,
  MAX_AHEAD_MS,
  openHead,
  readEvent,
  readSnapshot,
  readSteps,
  resetReason,
  type Step,
} from '../../live/eventReader.ts'
import type { ResetReason } from '../../live/items.ts'
import { formatPosition, isAhead, isSamePlace, NO_EVENT, type Position } from '../../live/position.ts'
import type { RegistryName } from '../../registry/layout.ts'
import type { Log } from '../../runtime/log.ts'
import { ChainDataError } from '../answerSchema.ts'
import type { Metrics } from '../metrics.ts'
import { QueryError } from '../plugins/query.ts'
import {
  type Batch,
  BEAT_MS,
  beat,
  type ClientStream,
  createClientStream,
  reset,
  type StreamEnd,
  type StreamSource,
  stop,
  take,
} from './clientStream.ts'
import { StreamAheadError, StreamsFullError } from './errors.ts'
import { eventBlock, type StreamEvent, snapshotBlock, toStreamEvent } from './frames.ts'

export interface StreamHubOptions {
  client: Pick<Client, 'snapshot'>
  metrics: Pick<Metrics, 'registry' | 'streamEvents' | 'streamsDropped' | 'streamLag'>
  log: Pick<Log, 'info' | 'warn'>
  /** How often the newest state root is asked for while somebody listens, in milliseconds. @default 1000 */
  pollMs?: number
  /** How many streams are held at most. @default 10000 */
  maxStreams?: number
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Calls a function once after some milliseconds. @default setTimeout */
  schedule?: (run: () => void, ms: number) => void
}

/** What a request asks of the stream. */
export interface Asked {
  /** Null for all feeds. */
  ids: ReadonlySet<string> | null
  /** Null to begin with the newest events. */
  from: Position | null
  snapshot: boolean
  /** Whether the client has gone meanwhile. */
  hasLeft: () => boolean
}

/** Holds all streams, and reads for all of them. */
export interface StreamHub {
  /**
   * Opens a stream, whose events are read once for all streams.
   *
   * @throws {QueryError} on an id that is not registered.
   * @throws {StreamAheadError} when the position is not reached within a minute.
   * @throws {StreamsFullError} when there are as many streams as may be.
   */
  open(asked: Asked): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
  /** Ends every stream, and takes no more. */
  stop(): void
}

/** So many of the last events of each log are kept for all streams. */
const MAX_KEPT = 4_096

/** The streams get their signs of life in turn, one part of them at each tick. */
const TICK_MS = 1_000
const TURNS = BEAT_MS / TICK_MS

const LOGS = ['FeedRegistry', 'AttestationRegistry'] as const

type Kept = Record<RegistryName, Map<number, Promise<StreamEvent>>>

const nothingKept = (): Kept => ({ FeedRegistry: new Map(), AttestationRegistry: new Map() })

/** What the hub knows of the chain. */
interface Known {
  readonly head: Head
  /** How far the streams that miss nothing are. */
  readonly position: Position
}

const encoder = new TextEncoder()

/** Creates the hub of a server. It calls no node while nobody listens. */
export function createStreamHub(options: StreamHubOptions): StreamHub {
  const { client, metrics, log, pollMs = 1_000, maxStreams = 10_000, now = Date.now } = options
  const { schedule = (run, ms) => void setTimeout(run, ms) } = options
  const turns = Array.from({ length: TURNS }, () => new Set<ClientStream>())
  const afterPoll = new Set<() => void>()
  const openedAt = new WeakMap<ClientStream, number>()
  let known: Known | null = null
  let kept = nothingKept()
  let all: { head: Head; blocks: Promise<Batch['chunk']> } | null = null
  let polling: Promise<void> | null = null
  let polledAt = Number.NEGATIVE_INFINITY
  let isFollowing = false
  let isTicking = false
  let isStopped = false
  let hasFailed = false
  let opening = 0
  let opened = 0
  let turn = 0
  let open = 0

  new Gauge({
    name: 'wattfeed_streams_open',
    help: 'Streams that are open now.',
    registers: [metrics.registry],
    collect() {
      this.set(open)
    },
  })

  function forEachStream(run: (stream: ClientStream) => void): void {
    for (const each of turns) each.forEach(run)
  }

  /** Begins to ask for the newest root, until nobody listens. */
  function follow(): void {
    if (!isFollowing) {
      isFollowing = true
      schedule(poll, pollMs)
    }
    if (!isTicking) {
      isTicking = true
      schedule(tick, TICK_MS)
    }
  }

  async function poll(): Promise<void> {
    await move().catch(reportFailure)
    isFollowing = open + opening > 0 && !isStopped
    if (isFollowing) schedule(poll, pollMs)
  }

  function tick(): void {
    turn = (turn + 1) % TURNS
    for (const stream of turns[turn] ?? []) beat(stream)
    isTicking = open > 0
    if (isTicking) schedule(tick, TICK_MS)
  }

  function reportFailure(error: unknown): void {
    if (!hasFailed) log.warn({ err: error }, 'the streams stand still: the chain was not read')
    hasFailed = true
  }

  /** Moves everything to the newest root; callers share it. */
  function move(): Promise<void> {
    polling ??= moveOn().finally(() => {
      polling = null
      for (const run of afterPoll) run()
      afterPoll.clear()
    })
    return polling
  }

  async function moveOn(): Promise<void> {
    const at = await client.snapshot()
    if (at.stateRootHash !== known?.head.at.stateRootHash) await moveTo(await openHead(at))
    await readOn()
    polledAt = now()
    hasFailed = false
  }

  async function moveTo(head: Head): Promise<void> {
    if (known === null) {
      known = { head, position: await endOf(head) }
      return
    }
    // The client tells lagging nodes from chains that were replaced.
    if (!isOfSameChain(known.head, head)) await startOver(head)
    else if (!isAheadOf(known.position, head)) known = { head, position: known.position }
  }

  async function startOver(head: Head): Promise<void> {
    const position = await endOf(head)
    known = { head, position }
    kept = nothingKept()
    forEachStream((stream) => reset(stream, 'log'))
  }

  /** Reads what is new for all streams. Where there are none it is left to those who ask for it. */
  async function readOn(): Promise<void> {
    if (known !== null && open === 0 && !isAtEnd(known)) {
      known = { head: known.head, position: await endOf(known.head) }
      forgetOld(known.position)
    }
    while (known !== null) {
      const { head, position } = known
      const steps = await readSteps(position, lengthsOf(head), eventAt)
      const last = steps.at(-1)
      if (last === undefined) return
      known = { head, position: last.position }
      forgetOld(last.position)
      handOut(steps, last.position)
    }
  }

  function handOut(steps: readonly Step<StreamEvent>[], position: Position): void {
    const shown = steps.filter(({ event }) => event.feedId !== null)
    const frames = shown.map((step) => encoder.encode(eventBlock(step)))
    const batch: Batch = { steps: shown, frames, chunk: Buffer.concat(frames), position }
    forEachStream((stream) => take(stream, batch))
    for (const { event } of shown)
      if (event.blockTime !== null) metrics.streamLag.observe((now() - event.blockTime) / 1000)
  }

  function forgetOld(position: Position): void {
    for (const log of LOGS) {
      const before = (log === 'FeedRegistry' ? position.feed : position.attestation) - MAX_KEPT
      for (const index of kept[log].keys()) if (index < before) kept[log].delete(index)
    }
  }

  /** Reads an event once for all streams, if it is among the last ones. */
  async function eventAt(log: RegistryName, index: number): Promise<StreamEvent> {
    if (known === null) throw new StreamsFullError()
    const { head, position } = known
    const { [log]: events } = kept
    const found = events.get(index)
    if (found !== undefined) return found
    const reading = readEvent(head, log, index).then(toShownEvent)
    if (index >= (log === 'FeedRegistry' ? position.feed : position.attestation) - MAX_KEPT) {
      events.set(index, reading)
      reading.catch(() => events.delete(index))
    }
    return reading
  }

  /** Leaves out what cannot be told in JSON, as the list of feeds fails with it. */
  function toShownEvent(event: Awaited<ReturnType<typeof readEvent>>): StreamEvent {
    try {
      return toStreamEvent(event)
    } catch (error) {
      if (!(error instanceof ChainDataError)) throw error
      log.warn({ err: error }, 'an event is left out of the streams')
      return toStreamEvent({ ...event, shown: null })
    }
  }

  /** Returns what is known of the newest root, reading it first if nobody has for a while. */
  async function getKnown(): Promise<Known> {
    if (known === null || now() - polledAt > 2 * pollMs) await move()
    if (known === null) throw new StreamsFullError()
    return known
  }

  /** Waits until this server has seen as much as the position. @throws {StreamAheadError} */
  async function reach(asked: Position, hasLeft: Asked['hasLeft']): Promise<void> {
    let isTimeUp: boolean | null = null
    for (;;) {
      const { position } = known ?? (await getKnown())
      if (!isAhead(asked, position)) return
      if (isTimeUp || isStopped || hasLeft())
        throw new StreamAheadError(formatPosition(asked), formatPosition(position))
      if (isTimeUp === null) {
        isTimeUp = false
        schedule(() => {
          isTimeUp = true
        }, MAX_AHEAD_MS)
      }
      await new Promise<void>((resolve) => afterPoll.add(resolve))
    }
  }

  async function reasonToReset(asked: Position, hasLeft: Asked['hasLeft']): Promise<ResetReason | null> {
    if (isOfOtherRegistries((await getKnown()).head, asked)) return 'registry'
    await reach(asked, hasLeft)
    const last = lastEventOf(asked)
    // What was read for other streams spares a call.
    if (last !== null && (await eventAt(last.log, last.index)).digest === asked.lastEvent) return null
    return resetReason((await getKnown()).head, asked)
  }

  async function openStream({
    ids,
    from,
    snapshot,
    hasLeft,
  }: Asked): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    for (;;) {
      const { head } = await getKnown()
      for (const id of ids ?? [])
        if (!head.logs.entries.has(id)) throw new QueryError('id', id, 'no such feed is registered')
      const epoch = kept
      const reason = from === null ? null : await reasonToReset(from, hasLeft)
      if (epoch === kept) return createClientStream(source, { ids, from, reason, snapshot })
    }
  }

  /** Returns what is known once the streams are as far as the newest root. */
  async function getSettled(): Promise<Known> {
    for (;;) {
      const found = await getKnown()
      if (isAtEnd(found)) return found
      await move()
    }
  }

  /** Returns what all feeds hold, once for all streams: thousands that take nothing would hold as many copies. */
  function allAt(head: Head): Promise<Batch['chunk']> {
    if (all?.head === head) return all.blocks
    const blocks = blocksAt(head, null)
    all = { head, blocks }
    blocks.catch(() => {
      if (all?.blocks === blocks) all = null
    })
    return blocks
  }

  const source: StreamSource = {
    epoch: () => kept,
    position: () => known?.position ?? NOWHERE,
    next: (from) => readSteps(from, source.position(), eventAt),
    async snapshot(ids) {
      const { head, position } = await getSettled()
      return { blocks: await (ids === null ? allAt(head) : blocksAt(head, ids)), position }
    },
    onOpen(stream) {
      open += 1
      openedAt.set(stream, now())
      turns[opened++ % TURNS]?.add(stream)
      if (isStopped) stop(stream)
      else follow()
    },
    onSent: (events, kind) => metrics.streamEvents.inc({ kind }, events),
    onEnd(stream, { reason, sent, error }: StreamEnd) {
      open -= 1
      for (const each of turns) each.delete(stream)
      if (reason !== 'left' && reason !== 'stopped') metrics.streamsDropped.inc({ reason })
      const durationMs = now() - (openedAt.get(stream) ?? now())
      log.info({ reason, sent, durationMs, ...(error === null ? {} : { err: error }) }, 'stream ended')
    },
  }

  return {
    async open(asked) {
      if (isStopped || open + opening >= maxStreams) throw new StreamsFullError()
      opening += 1
      follow()
      try {
        return await openStream(asked)
      } finally {
        opening -= 1
      }
    },
    stop() {
      isStopped = true
      forEachStream(stop)
      for (const run of afterPoll) run()
    },
  }
}

const blocksAt = async (head: Head, ids: ReadonlySet<string> | null): Promise<Batch['chunk']> =>
  encoder.encode((await readSnapshot(head, ids)).map(snapshotBlock).join(''))

const isAtEnd = ({ head, position }: Known): boolean => isSamePlace(position, lengthsOf(head))

const NOWHERE: Position = {
  feedRegistry: '',
  attestationRegistry: '',
  lastEvent: NO_EVENT,
  feed: 0,
  attestation: 0,
}
