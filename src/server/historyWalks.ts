import pLimit from 'p-limit'
import type { Client } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import type { History } from '../history/feedHistory.ts'
import type { Log } from '../runtime/log.ts'

/** A feed's past is being read in the background. */
export class HistoryFillingError extends WattfeedError {
  static override readonly name = 'HistoryFillingError'
  readonly code = 'history_filling'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** How many values are read. */
    readonly known: number,
    /** How many are needed. */
    readonly needed: number,
    /** When to ask again, in milliseconds. */
    readonly retryAfterMs: number,
  ) {
    super(`the history of ${feedId} is being read: ${known} of ${needed} values so far; ask again`)
  }
}

/** Too many feeds wait for their past to be read. */
export class HistoryBusyError extends WattfeedError {
  static override readonly name = 'HistoryBusyError'
  readonly code = 'history_busy'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    readonly waiting: number,
  ) {
    super(`the histories of ${waiting} other feeds are read before that of ${feedId}; ask again later`)
  }
}

export interface HistoryWalksOptions {
  client: Pick<Client, 'snapshot'>
  history: Pick<History, 'open'>
  /** Maximum number of calls in flight, of all that the server may make. */
  concurrency: number
  log: Pick<Log, 'warn'>
  /** Milliseconds of a monotonic clock. @default performance.now */
  now?: () => number
}

/** Reads long histories in the background. */
export interface HistoryWalks {
  /**
   * Has the first values of feeds read, as far as they are not being read and the queue has room.
   *
   * @throws {HistoryFillingError} which says how far the first of them in the queue is.
   * @throws {HistoryBusyError} if the queue has room for none.
   */
  fill(...wanted: readonly [WantedValues, ...WantedValues[]]): never
  status(): { running: number; waiting: number }
}

/** Values of a feed that a request lacks. */
export interface WantedValues {
  readonly feedId: string
  /** How many of the first values are known. */
  readonly known: number
  /** How many are needed. */
  readonly needed: number
}

interface Walk {
  needed: number
  /** How many values were known before it. */
  readonly known: number
  /** Null while it waits. */
  begunAt: number | null
}

const MAX_RUNNING = 2
const MAX_WAITING = 16

/** Values of one step, each at a newer state root: a restarted development chain shows soon. */
const STEP = 1_000

const DEFAULT_RETRY_MS = 4_000

/** Creates the walks: one a feed, two at once, which share a quarter of the calls that the server may make. */
export function createHistoryWalks(options: HistoryWalksOptions): HistoryWalks {
  const { client, history, concurrency, log, now = () => performance.now() } = options
  const limit = pLimit(Math.max(1, Math.floor(concurrency / 4)))
  const atOnce = pLimit(MAX_RUNNING)
  const walks = new Map<string, Walk>()
  const running = (): number => [...walks.values()].filter(({ begunAt }) => begunAt !== null).length

  async function walk(feedId: string, goal: Walk): Promise<void> {
    for (;;) {
      const feed = await history.open(await client.snapshot(), feedId)
      const known = feed?.known() ?? 0
      if (feed === null || known >= Math.min(goal.needed, feed.count)) return
      await feed.readTo(Math.min(goal.needed, known + STEP), { limit })
    }
  }

  /** Puts a feed in the queue, unless it is full or the feed is there. */
  function begin({ feedId, known, needed }: WantedValues): void {
    const current = walks.get(feedId)
    if (current !== undefined) current.needed = Math.max(current.needed, needed)
    if (current !== undefined || walks.size >= MAX_RUNNING + MAX_WAITING) return
    const goal: Walk = { needed, known, begunAt: null }
    walks.set(feedId, goal)
    atOnce(() => {
      goal.begunAt = now()
      return walk(feedId, goal)
    })
      .catch((error) => log.warn({ err: error, feedId }, 'reading a history in the background failed'))
      .finally(() => walks.delete(feedId))
  }

  /** How long the rest takes at the speed so far. */
  function retryAfterMs({ begunAt, known: before }: Walk, known: number, needed: number): number {
    if (begunAt === null || known <= before) return DEFAULT_RETRY_MS
    return ((now() - begunAt) * (needed - known)) / (known - before)
  }

  return {
    fill(...wanted) {
      for (const each of wanted) begin(each)
      for (const { feedId, known, needed } of wanted) {
        const current = walks.get(feedId)
        if (current === undefined) continue
        throw new HistoryFillingError(feedId, known, needed, retryAfterMs(current, known, needed))
      }
      throw new HistoryBusyError(wanted[0].feedId, walks.size)
    },
    status: () => ({ running: running(), waiting: walks.size - running() }),
  }
}
