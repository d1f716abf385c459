import { computed, signal } from '@preact/signals'
import { useCallback } from 'preact/hooks'
import { now } from '../data/now.ts'
import type { FeedReading } from '../data/readings.ts'
import type { PadlockProps } from '../ui/padlock.tsx'
import { checkProof, isOld, type ProofCheck, ProofUnavailableError } from './check.ts'
import { isOfAnotherNetwork } from './stages.ts'
import { rememberedTrust, setTrust, type Trust } from './trust.ts'

/** The result of the newest check of a feed since the page was loaded. */
export interface FeedCheck {
  readonly isRunning: boolean
  readonly check: ProofCheck | null
  /** Why the newest attempt has no result, or null. */
  readonly fault: string | null
  /** Time of the check, in epoch milliseconds. */
  readonly checkedAt: number | null
}

const NONE: FeedCheck = { isRunning: false, check: null, fault: null, checkedAt: null }

const checks = signal<ReadonlyMap<string, FeedCheck>>(new Map())

/** Identifies a trust without its checkpoint, which follows from the rest. */
const identity = (trust: Trust | null): string => JSON.stringify({ ...trust, checkpoint: null })

const trustIdentity = computed(() => identity(rememberedTrust.value))

// Checks from another trusted block do not count.
trustIdentity.subscribe(() => {
  checks.value = new Map()
})

function update(feedId: string, changes: Partial<FeedCheck>): void {
  const known = checks.value.get(feedId) ?? NONE
  checks.value = new Map(checks.value).set(feedId, { ...known, ...changes })
}

/** Checks a feed's newest value from the trusted block, and advances the checkpoint. */
export async function checkFeed(feedId: string): Promise<void> {
  const trust = rememberedTrust.value
  if (trust === null || checks.value.get(feedId)?.isRunning) return
  update(feedId, { isRunning: true, fault: null })
  const found = await checkProof('', feedId, trust).catch((error: unknown) => {
    if (error instanceof ProofUnavailableError) return error
    throw error
  })
  // The reader has changed the trusted block during the check.
  if (trustIdentity.value !== identity(trust)) return
  if (found instanceof ProofUnavailableError)
    return update(feedId, { isRunning: false, check: null, fault: found.message })
  update(feedId, { isRunning: false, check: found, checkedAt: Date.now() })
  if (found.switchBlock !== null)
    setTrust({ ...trust, checkpoint: { hash: found.switchBlock, verifiedAt: Date.now() } })
}

/** Returns the newest check of a feed, and a function that runs a check. */
export function useFeedCheck(feedId: string): FeedCheck & { run: () => void } {
  const found = checks.value.get(feedId) ?? NONE
  const run = useCallback(() => void checkFeed(feedId), [feedId])
  return { ...found, run }
}

/** Returns the padlock of exactly this reading, including its unit, decimals and texts. A newer one is unchecked. */
export function usePadlock(feed: FeedReading): PadlockProps['of'] {
  const { check } = checks.value.get(feed.feed_id) ?? NONE
  if (check === null || isOfAnotherNetwork(check.links)) return { state: 'unchecked', blockTime: null }
  // A proof that the shown reading does not exist refutes it, too.
  if (check.proven === null) return { state: 'broken', blockTime: null }
  const shown = new Map<string, unknown>(Object.entries(feed))
  const isSame = Object.entries(check.proven).every(([name, proven]) => Object.is(shown.get(name), proven))
  if (!isSame) return { state: 'unchecked', blockTime: null }
  return { state: isOld(check, now.value) ? 'old' : 'checked', blockTime: check.blockTime }
}
