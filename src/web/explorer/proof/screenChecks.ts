import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { feedHref } from '../../site/feedPath.ts'
import { now } from '../data/now.ts'
import type { FeedReading } from '../data/readings.ts'
import { hasFailed, isForeign, needsCheck, padlockOf, runCheck, trustIdentity } from './checks.ts'
import { rememberedTrust } from './trust.ts'

export interface ScreenChecks {
  readonly total: number
  readonly checked: number
  readonly broken: number
  /** Number of values whose check has no result. They are checked again later. */
  readonly failed: number
  readonly isRunning: boolean
  /** Whether the server's proof is of another chain than the reader's. */
  readonly isOtherNetwork: boolean
  /** Why no check runs now, or null. */
  readonly pause: string | null
}

/** Maximum number of proofs in flight. */
const CONCURRENCY = 3

/** After the first check failed, which all others depend on. */
const FAILED_MS = 30_000

const running = new Map<string, AbortController>()
/** Ids of the feeds to check, the first row first. */
let wanted: readonly string[] = []

interface Pause {
  readonly endsAt: number
  readonly reason: string
}

const pause = signal<Pause | null>(null)

// Another trusted block may have proofs.
trustIdentity.subscribe(() => {
  pause.value = null
})

/** Replaces the feeds to check. Downloads for other feeds are aborted. */
function want(feedIds: readonly string[]): void {
  wanted = feedIds
  for (const [feedId, abort] of running) if (!wanted.includes(feedId)) abort.abort()
  fill()
}

function fill(): void {
  const trust = rememberedTrust.value
  if (trust === null || document.visibilityState !== 'visible' || isPaused()) return
  // The first check verifies the blocks since the trusted one. The others start where it ended.
  const limit = trust.checkpoint === null ? 1 : CONCURRENCY
  for (const feedId of wanted) {
    if (running.size >= limit) return
    if (!running.has(feedId)) void run(feedId)
  }
}

const isPaused = (): boolean => pause.value !== null && Date.now() < pause.value.endsAt

async function run(feedId: string): Promise<void> {
  const abort = new AbortController()
  running.set(feedId, abort)
  const options = { signal: abort.signal, isAttesterIncluded: false }
  const fault = await runCheck(feedId, options).finally(() => running.delete(feedId))
  // After an abort, its row may be on the screen again.
  if (!abort.signal.aborted) wanted = isForeign(feedId) ? [] : wanted.filter((id) => id !== feedId)
  const isFirst = rememberedTrust.value?.checkpoint === null
  if (fault !== null && (fault.retryAfterMs !== null || isFirst))
    pause.value = { endsAt: Date.now() + (fault.retryAfterMs ?? FAILED_MS), reason: fault.message }
  fill()
}

/**
 * Checks the given values, the first ones first, once the reader trusts a block. Checks a value again after it has changed.
 *
 * @returns The progress; null if the reader trusts no block.
 */
export function useScreenChecks(shown: readonly FeedReading[]): ScreenChecks | null {
  // A proof's path cannot hold the other ids.
  const feeds = shown.filter(({ feed_id }) => feedHref(feed_id) !== null)
  const hasTrust = rememberedTrust.value !== null
  const time = now.value
  const waiting = pause.value !== null && time < pause.value.endsAt ? pause.value : null
  const isOtherNetwork = hasTrust && feeds.some(({ feed_id }) => isForeign(feed_id))
  const due = hasTrust && !isOtherNetwork ? feeds.filter((feed) => needsCheck(feed, time)) : []
  const ids = due.map(({ feed_id }) => feed_id)
  useEffect(() => want(ids), [JSON.stringify(ids), waiting])
  useEffect(() => {
    document.addEventListener('visibilitychange', fill)
    return () => {
      document.removeEventListener('visibilitychange', fill)
      want([])
    }
  }, [])
  if (!hasTrust) return null
  const states = feeds.map((feed) => padlockOf(feed).state)
  return {
    total: states.length,
    checked: states.filter((state) => state === 'checked' || state === 'old').length,
    broken: states.filter((state) => state === 'broken').length,
    failed: feeds.filter(({ feed_id }) => hasFailed(feed_id)).length,
    isRunning: ids.length > 0 && waiting === null,
    isOtherNetwork,
    pause: waiting === null ? null : waiting.reason,
  }
}
