import pLimit from 'p-limit'
import type { Client } from 'wattfeed'
import type { History } from 'wattfeed/history'
import type { Log } from '../../runtime/log.ts'
import { retryAfter } from '../http/headers.ts'
import { defineHttpError } from '../http/httpError.ts'

export const HistoryFillingError = defineHttpError(
  'HistoryFillingError',
  'history_filling',
  (facts: {
    feedId: string
    /** Number of values read so far. */
    known: number
    /** Number of values needed. */
    needed: number
    /** How long to wait before a retry, in milliseconds. */
    retryAfterMs: number
  }) =>
    `the history of ${facts.feedId} is being read: ${facts.known} of ${facts.needed} values so far; retry later`,
  {
    status: 503,
    headers: ({ retryAfterMs }) => ({ 'retry-after': retryAfter(retryAfterMs) }),
    retryable: true,
  },
)

export const HistoryBusyError = defineHttpError(
  'HistoryBusyError',
  'history_busy',
  (facts: { feedId: string; waiting: number }) =>
    `history queue is full (${facts.waiting} feeds waiting); retry ${facts.feedId} later`,
  { status: 429, retryable: true },
)

/** Reads long histories in the background. */
export interface HistoryWalks {
  /**
   * Queues feeds to have their first values read, unless they are queued already or the queue is full.
   *
   * @throws {HistoryFillingError} with the progress of the first feed that is queued.
   * @throws {HistoryBusyError} when the queue has no room for any of them.
   */
  fill(...wanted: readonly [WantedValues, ...WantedValues[]]): never
  status(): { running: number; waiting: number }
}

export interface WantedValues {
  readonly feedId: string
  /** Number of known values, counted from the first. */
  readonly known: number
  /** Number of values needed. */
  readonly needed: number
}

interface Walk {
  needed: number
  /** Number of known values when the walk was queued. */
  readonly known: number
  /** Null while the walk waits in the queue. */
  startedAt: number | null
}

const MAX_RUNNING = 2
const MAX_WAITING = 16

/** Values read per step. Each step uses a newer state root, so that a replaced development chain is noticed soon. */
const STEP = 1_000

const DEFAULT_RETRY_MS = 4_000

/** Creates the walks. There is one per feed, and two run at a time with a quarter of the server's concurrent calls. */
export function createHistoryWalks({
  client,
  history,
  concurrency,
  log,
  now = () => performance.now(),
}: {
  client: Pick<Client, 'snapshot'>
  history: Pick<History, 'open'>
  /** Maximum number of calls that the server may have in flight. */
  concurrency: number
  log: Pick<Log, 'warn'>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}): HistoryWalks {
  const limit = pLimit(Math.max(1, Math.floor(concurrency / 4)))
  const atOnce = pLimit(MAX_RUNNING)
  const walks = new Map<string, Walk>()
  const running = (): number => [...walks.values()].filter(({ startedAt }) => startedAt !== null).length

  async function walk(feedId: string, goal: Walk): Promise<void> {
    for (;;) {
      const feed = await history.open(await client.snapshot(), feedId)
      const known = feed?.known() ?? 0
      if (feed === null || known >= Math.min(goal.needed, feed.count)) return
      await feed.readTo(Math.min(goal.needed, known + STEP), { limit })
    }
  }

  /** Queues a feed, unless it is queued already or the queue is full. */
  function enqueue({ feedId, known, needed }: WantedValues): void {
    const current = walks.get(feedId)
    if (current !== undefined) current.needed = Math.max(current.needed, needed)
    if (current !== undefined || walks.size >= MAX_RUNNING + MAX_WAITING) return
    const goal: Walk = { needed, known, startedAt: null }
    walks.set(feedId, goal)
    atOnce(() => {
      goal.startedAt = now()
      return walk(feedId, goal)
    })
      .catch((error) => log.warn({ err: error, feedId }, 'background history read failed'))
      .finally(() => walks.delete(feedId))
  }

  /** Estimates the remaining time from the speed so far. */
  function retryAfterMs({ startedAt, known: before }: Walk, known: number, needed: number): number {
    if (startedAt === null || known <= before) return DEFAULT_RETRY_MS
    return ((now() - startedAt) * (needed - known)) / (known - before)
  }

  return {
    fill(...wanted) {
      for (const each of wanted) enqueue(each)
      for (const { feedId, known, needed } of wanted) {
        const current = walks.get(feedId)
        if (current === undefined) continue
        throw new HistoryFillingError({
          feedId,
          known,
          needed,
          retryAfterMs: retryAfterMs(current, known, needed),
        })
      }
      throw new HistoryBusyError({ feedId: wanted[0].feedId, waiting: walks.size })
    },
    status: () => ({ running: running(), waiting: walks.size - running() }),
  }
}
