import type { Client } from 'wattfeed'
import { type FollowLogsOptions, followLogs, type LogUpdate, type Reached } from 'wattfeed/internal'
import type { Log } from '../../runtime/log.ts'
import { defineHttpError } from '../http/httpError.ts'
import type { StreamEvent } from './frames.ts'

export const StreamsStoppedError = defineHttpError(
  'StreamsStoppedError',
  'streams_stopped',
  () => 'the server is shutting down; retry later, or connect to another server',
  { status: 503, retryable: true },
)

/** Reads an event of a log. */
export type ReadStreamEvent = FollowLogsOptions<StreamEvent>['read']

/** Calls a function once after some milliseconds. */
export type SetTimer = (run: () => void, ms: number) => void

/** Follows the event logs for all streams, while any is open. */
export interface Follower {
  /** Starts following at the current position, unless it is already following. */
  start(): void
  /** Returns the last position that was read. */
  reached(): Reached
  /** Returns a recent position, and reads the logs first if the last read is too old. Rejects with the error of that read. */
  reachedNow(): Promise<Reached>
  /** Waits for the next read. Rejects with its error. */
  nextRead(): Promise<Reached>
  isStopped(): boolean
  /** Stops permanently. */
  stop(): void
}

export function createFollower({
  client,
  log,
  read,
  pollMs,
  now,
  schedule,
  isNeeded,
  onUpdate,
}: {
  read: ReadStreamEvent
  client: Pick<Client, 'snapshot'>
  log: Pick<Log, 'warn'>
  pollMs: number
  /** Epoch milliseconds. */
  now: () => number
  schedule: SetTimer
  /** Whether any stream is open or opening. */
  isNeeded: () => boolean
  /** Called with new events, and with the new position after a pause (`isStart`) or a reset. */
  onUpdate: (update: Extract<LogUpdate<StreamEvent>, { kind: 'events' | 'reset' }>, isStart: boolean) => void
}): Follower {
  const stopping = new AbortController()
  const { signal } = stopping
  const latest = createLatest(now)
  let isFollowing = false
  const { wait, wake } = createPause(schedule, pollMs)

  function use(update: LogUpdate<StreamEvent>, isStart: boolean): void {
    if (update.kind === 'failed') {
      const isFirst = latest.fail(update.error)
      if (isFirst) log.warn({ err: update.error }, 'cannot read the chain; streams are paused')
    } else if (update.kind !== 'ahead') {
      latest.set(update)
      onUpdate(update, isStart)
    }
  }

  async function follow(): Promise<void> {
    let isStart = true
    for await (const update of followLogs(client, { from: null, read, wait, signal })) {
      use(update, isStart)
      isStart &&= update.kind === 'failed'
      if (isNeeded()) continue
      isFollowing = false
      return
    }
  }

  function start(): void {
    if (isFollowing || signal.aborted) return
    isFollowing = true
    follow().catch((error) => {
      isFollowing = false
      latest.fail(error)
    })
  }

  async function nextRead(): Promise<Reached> {
    signal.throwIfAborted()
    start()
    return latest.next()
  }

  return {
    start,
    reached: latest.get,
    async reachedNow() {
      if (latest.isYoungerThan(2 * pollMs)) return latest.get()
      wake()
      return nextRead()
    },
    nextRead,
    isStopped: () => signal.aborted,
    stop() {
      stopping.abort(new StreamsStoppedError())
      wake()
    },
  }
}

/** Creates a pause between two reads. `wake` ends it early. */
function createPause(schedule: SetTimer, ms: number) {
  let wake = () => {}
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        wake = resolve
        schedule(resolve, ms)
      }),
    wake: () => wake(),
  }
}

/** Holds the last position that was read, and resolves a promise with the next one. */
function createLatest(now: () => number) {
  let reached: Reached | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let next = Promise.withResolvers<Reached>()

  /** Replaces the promise of the next read, and returns the old one. */
  function settle(): typeof next {
    const waiting = next
    next = Promise.withResolvers()
    // Without a handler, a rejection that nobody waits for would end the process.
    waiting.promise.catch(() => {})
    return waiting
  }

  return {
    get(): Reached {
      if (reached === null) throw new TypeError('a stream was opened before the logs were read')
      return reached
    },
    /** Whether the last read is at most this old. After the clock was set back, its age is unknown. */
    isYoungerThan: (ms: number) => Math.abs(now() - readAt) <= ms,
    next: () => next.promise,
    set(update: Reached): void {
      reached = update
      readAt = now()
      hasFailed = false
      settle().resolve(update)
    },
    /** Returns whether the previous read succeeded. */
    fail(error: unknown): boolean {
      const isFirst = !hasFailed
      hasFailed = true
      settle().reject(error)
      return isFirst
    },
  }
}
