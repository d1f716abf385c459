import { useCallback } from 'preact/hooks'
import { useNow } from '../data/now.ts'
import type { FeedReading } from '../data/readings.ts'
import { createStore, useStore } from '../data/store.ts'
import type { PadlockProps } from '../ui/padlock.tsx'
import { checkProof, isOld, type ProofCheck, ProofUnavailableError } from './check.ts'
import { isOfAnotherNetwork } from './stages.ts'
import { setTrust, type Trust, trustStore } from './trust.ts'

/** What this browser has found out about a feed since the page was loaded. */
export interface FeedCheck {
  readonly isRunning: boolean
  readonly check: ProofCheck | null
  /** Why the newest attempt found nothing out, or null. */
  readonly fault: string | null
  /** When the check ended, in epoch milliseconds. */
  readonly checkedAt: number | null
}

const NONE: FeedCheck = { isRunning: false, check: null, fault: null, checkedAt: null }

const checksStore = createStore<ReadonlyMap<string, FeedCheck>>(new Map())

/** What makes two trusts the same: the checkpoint follows from the rest. */
const identity = (trust: Trust | null): string => JSON.stringify({ ...trust, checkpoint: null })

let lastIdentity = identity(trustStore.get())

// What was checked from other trust says nothing about this one.
trustStore.subscribe(() => {
  const current = identity(trustStore.get())
  if (current === lastIdentity) return
  lastIdentity = current
  checksStore.set(new Map())
})

function update(feedId: string, changes: Partial<FeedCheck>): void {
  const checks = new Map(checksStore.get())
  checks.set(feedId, { ...(checks.get(feedId) ?? NONE), ...changes })
  checksStore.set(checks)
}

/** Checks a feed's newest value from what the reader trusts, and moves the checkpoint on. */
export async function checkFeed(feedId: string): Promise<void> {
  const trust = trustStore.get()
  if (trust === null || checksStore.get().get(feedId)?.isRunning) return
  update(feedId, { isRunning: true, fault: null })
  const found = await checkProof('', feedId, trust).catch((error: unknown) => {
    if (error instanceof ProofUnavailableError) return error
    throw error
  })
  // The reader trusts something else by now.
  if (identity(trustStore.get()) !== identity(trust)) return
  if (found instanceof ProofUnavailableError)
    return update(feedId, { isRunning: false, check: null, fault: found.message })
  update(feedId, { isRunning: false, check: found, checkedAt: Date.now() })
  if (found.switchBlock !== null)
    setTrust({ ...trust, checkpoint: { hash: found.switchBlock, verifiedAt: Date.now() } })
}

/** What is known of a feed, and a function that checks it. */
export function useFeedCheck(feedId: string): FeedCheck & { run: () => void } {
  const found = useStore(checksStore).get(feedId) ?? NONE
  const run = useCallback(() => void checkFeed(feedId), [feedId])
  return { ...found, run }
}

/** What was found out about exactly this reading, with its unit, decimals and texts: a newer one is not checked yet. */
export function usePadlock(feed: FeedReading): PadlockProps['of'] {
  const { check } = useStore(checksStore).get(feed.feed_id) ?? NONE
  const now = useNow()
  if (check === null || isOfAnotherNetwork(check.links)) return { state: 'unchecked', blockTime: null }
  if (check.proven === null) return { state: 'broken', blockTime: null }
  const shown = new Map<string, unknown>(Object.entries(feed))
  const isSame = Object.entries(check.proven).every(([name, proven]) => Object.is(shown.get(name), proven))
  if (!isSame) return { state: 'unchecked', blockTime: null }
  return { state: isOld(check, now) ? 'old' : 'checked', blockTime: check.blockTime }
}
