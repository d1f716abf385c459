import type { Client } from '../../client/index.ts'
import { type FollowOptions, followLogs, type LogUpdate, type Reached } from '../../live/followLogs.ts'
import type { Log } from '../../runtime/log.ts'
import { StreamsStoppedError } from './errors.ts'
import type { StreamEvent } from './frames.ts'

export interface FollowerOptions extends Pick<FollowOptions<StreamEvent>, 'read'> {
  client: Pick<Client, 'snapshot'>
  log: Pick<Log, 'warn'>
  pollMs: number
  /** Epoch milliseconds. */
  now: () => number
  schedule: (run: () => void, ms: number) => void
  /** Whether somebody listens. */
  isNeeded: () => boolean
  /** Called with new events, and with where the logs are followed from after a pause or a reset. */
  onUpdate: (update: Extract<LogUpdate<StreamEvent>, { kind: 'events' | 'reset' }>, isStart: boolean) => void
}

/** Follows the logs for all streams, as long as somebody listens. */
export interface Follower {
  /** Starts with the newest events, unless it follows them already. */
  start(): void
  /** How far it is. */
  reached(): Reached
  /** Returns how far it is, reading on first if it has not lately. @throws what the read failed with. */
  reachedNow(): Promise<Reached>
  /** Waits for the next read. @throws what it failed with. */
  nextRead(): Promise<Reached>
  isStopped(): boolean
  /** Stops for good. */
  stop(): void
}

export function createFollower(options: FollowerOptions): Follower {
  const { client, read, pollMs, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const latest = createLatest(options.now)
  let isFollowing = false
  const { wait, wake } = createPause(options.schedule, pollMs)

  function use(update: LogUpdate<StreamEvent>, isStart: boolean): void {
    if (update.kind === 'failed') {
      const isFirst = latest.fail(update.error)
      if (isFirst) log.warn({ err: update.error }, 'cannot read the chain; streams are paused')
    } else if (update.kind !== 'ahead') {
      latest.set(update)
      options.onUpdate(update, isStart)
    }
  }

  async function follow(): Promise<void> {
    let isStart = true
    for await (const update of followLogs(client, { from: null, read, wait, signal })) {
      use(update, isStart)
      isStart &&= update.kind === 'failed'
      if (options.isNeeded()) continue
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

/** A pause between two reads, which `wake` ends early. */
function createPause(schedule: FollowerOptions['schedule'], ms: number) {
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

/** How far the logs were read, for those who wait for the next read, too. */
function createLatest(now: () => number) {
  let reached: Reached | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let next = Promise.withResolvers<Reached>()

  /** Starts the wait for the next read. */
  function settle(): typeof next {
    const waiting = next
    next = Promise.withResolvers()
    // Nobody may wait.
    waiting.promise.catch(() => {})
    return waiting
  }

  return {
    get(): Reached {
      if (reached === null) throw new TypeError('a stream was opened before the logs were read')
      return reached
    },
    isYoungerThan: (ms: number) => now() - readAt <= ms,
    next: () => next.promise,
    set(update: Reached): void {
      reached = update
      readAt = now()
      hasFailed = false
      settle().resolve(update)
    },
    /** Returns whether it is the first failure in a row. */
    fail(error: unknown): boolean {
      const isFirst = !hasFailed
      hasFailed = true
      settle().reject(error)
      return isFirst
    },
  }
}
