import { fetchAnswer, hasEndpoint } from './answers.ts'
import { createStore } from './store.ts'

/** Whether a feed has the value that its calendar lets one expect. */
export const feedStates = ['current', 'due', 'late', 'stale', 'unknown'] as const
export type FeedState = (typeof feedStates)[number]

/** What the server tells of a feed's punctuality. */
export interface FeedStatus {
  readonly feed_id: string
  readonly state: FeedState
  /** When the value that is expected next appears, in epoch milliseconds; null where unknown. */
  readonly next_due_at: number | null
}

const RELOAD_MS = 30_000

/** The status of every feed by its id; null where the server tells none. */
export const statusStore = createStore<ReadonlyMap<string, FeedStatus> | null>(null, { start: follow })

function follow(): () => void {
  const abort = new AbortController()
  const { signal } = abort
  const load = async (): Promise<void> => {
    if (document.visibilityState !== 'visible' && statusStore.get() !== null) return
    try {
      if (!(await hasEndpoint('/v1/status'))) return
      const { body } = await fetchAnswer<{ feeds: FeedStatus[] }>('/v1/status', { signal })
      statusStore.set(new Map(body.feeds.map((feed) => [feed.feed_id, feed])))
    } catch {
      // Advice: the page works without, and asks again.
    }
  }
  void load()
  const timer = setInterval(load, RELOAD_MS)
  return () => {
    clearInterval(timer)
    abort.abort()
  }
}
