import { computed, signal } from '@preact/signals'
import { now } from '../data/now.ts'
import type { FeedReading } from '../data/readings.ts'
import { MAX_BLOCK_AGE_MS } from '../format/blockAge.ts'
import type { PadlockProps } from '../ui/padlock.tsx'
import { type CheckOptions, checkProof, isOld, type ProofCheck, ProofUnavailableError } from './checkProof.ts'
import { isOfAnotherNetwork } from './stages.ts'
import { rememberedTrust, setTrust, type Trust } from './trust.ts'

export interface FeedCheck {
  readonly isRunning: boolean
  readonly check: ProofCheck | null
  /** Why the newest attempt has no result, or null. */
  readonly fault: string | null
  readonly checkedAt: number | null
}

const NONE: FeedCheck = { isRunning: false, check: null, fault: null, checkedAt: null }

/** More feeds than a reader looks at before the first ones need a new check. */
const MAX_CHECKS = 500

const checks = signal<ReadonlyMap<string, FeedCheck>>(new Map())

/** Identifies a trust without its checkpoint, which follows from the rest. */
const identity = (trust: Trust | null): string => JSON.stringify({ ...trust, checkpoint: null })

/** Changes when the reader trusts another block. */
export const trustIdentity = computed(() => identity(rememberedTrust.value))

// Checks from another trusted block do not count.
trustIdentity.subscribe(() => {
  checks.value = new Map()
})

function update(feedId: string, changes: Partial<FeedCheck>): void {
  const all = new Map(checks.value)
  const known = all.get(feedId) ?? NONE
  all.delete(feedId)
  all.set(feedId, { ...known, ...changes })
  for (const [oldest, { isRunning }] of all) {
    if (all.size <= MAX_CHECKS) break
    if (!isRunning) all.delete(oldest)
  }
  checks.value = all
}

/**
 * Checks a feed's newest value from the trusted block, and advances the checkpoint.
 *
 * @returns Why the check has no result; null if it has one, or if it was aborted.
 */
export async function checkFeed(
  feedId: string,
  options: Omit<CheckOptions, 'index'> = {},
): Promise<ProofUnavailableError | null> {
  const trust = rememberedTrust.value
  if (trust === null || checkOf(feedId).isRunning) return null
  update(feedId, { isRunning: true, fault: null })
  const found = await checkProof('', feedId, trust, options).catch((error: unknown) => {
    if (options.signal?.aborted) return null
    return asUnavailable(error)
  })
  // The reader has changed the trusted block during the check.
  if (trustIdentity.value !== identity(trust)) return null
  if (found === null) update(feedId, { isRunning: false })
  else if (found instanceof ProofUnavailableError) {
    update(feedId, { isRunning: false, check: null, fault: found.message, checkedAt: Date.now() })
    return found
  } else {
    update(feedId, { isRunning: false, check: found, checkedAt: Date.now() })
    advanceCheckpoint(trust, found)
  }
  return null
}

/** Returns why a check has no result. An error of the page itself is also written to the console, with its place. */
export function asUnavailable(error: unknown): ProofUnavailableError {
  if (error instanceof ProofUnavailableError) return error
  console.error('the check of a proof', error)
  return new ProofUnavailableError(`This page failed: ${error instanceof Error ? error.message : error}`)
}

/** Remembers the newest switch block that a check verified. Later checks start there. */
export function advanceCheckpoint(trust: Trust, { switchBlock }: ProofCheck): void {
  if (switchBlock !== null && trustIdentity.value === identity(trust))
    setTrust({ ...trust, checkpoint: { hash: switchBlock, verifiedAt: Date.now() } })
}

/** Returns the newest check of a feed. */
export const checkOf = (feedId: string): FeedCheck => checks.value.get(feedId) ?? NONE

/** Returns the padlock of exactly this reading, including its unit, decimals and texts. A newer one is unchecked. */
export function padlockOf(feed: FeedReading): PadlockProps['of'] {
  const { check, isRunning } = checkOf(feed.feed_id)
  const unchecked = { state: isRunning ? 'checking' : 'unchecked', blockTime: null } as const
  if (check === null || isOfAnotherNetwork(check.links)) return unchecked
  const { proven, blockTime } = check
  // A proof that the shown reading does not exist refutes it, too.
  if (proven === null) return { state: 'broken', blockTime: null, reason: whyRefuted(check) }
  const shown = new Map<string, unknown>(Object.entries(feed))
  const differing = Object.entries(proven).filter(([name, value]) => !Object.is(shown.get(name), value))
  if (differing.length === 0)
    return { state: isOld(check, now.value) ? 'old' : 'checked', blockTime: check.blockTime }
  // The proof's block includes the time of the shown value, so it would show that value.
  const isCovered = feed.updated_at <= (blockTime ?? 0) && proven.updated_at <= feed.updated_at
  const isOtherValue = differing.some(([name]) => valueFields.has(name))
  if (isCovered && isOtherValue)
    return { state: 'broken', blockTime: null, reason: 'another value is proven' }
  return unchecked
}

const valueFields: ReadonlySet<string> = new Set([
  'amount',
  'period',
  'source_hash',
  'updated_at',
] satisfies (keyof FeedReading)[])

function whyRefuted({ links, absence }: ProofCheck): string {
  const broken = links.find(({ holds }) => !holds)
  if (broken !== undefined) return broken.link
  return absence?.absent === 'feed' ? 'the feed is not registered' : 'the feed has no value'
}

/** A check without a result, and one of another reading than the shown one, is repeated after this time. */
const RETRY_MS = 30_000
/** About the time between two blocks: the newest final block may be older than the shown value. */
const NEXT_BLOCK_MS = 5_000

/** Whether a reading on the screen needs a check at a time, or is being checked. */
export function needsCheck(feed: FeedReading, time: number): boolean {
  const { check, checkedAt, isRunning } = checkOf(feed.feed_id)
  if (isRunning || checkedAt === null) return true
  if (isForeign(feed.feed_id)) return false
  const { state } = padlockOf(feed)
  if (state === 'checked') return false
  const isAhead = state === 'unchecked' && check !== null && feed.updated_at > (check.blockTime ?? 0)
  if (isAhead) return time - checkedAt >= NEXT_BLOCK_MS
  return time - checkedAt >= (state === 'old' ? MAX_BLOCK_AGE_MS : RETRY_MS)
}

/** Whether the newest check of a feed has no result. */
export const hasFailed = (feedId: string): boolean => checkOf(feedId).fault !== null

/** Whether a feed's proof is of a chain or registries other than the reader's. */
export const isForeign = (feedId: string): boolean => isOfAnotherNetwork(checkOf(feedId).check?.links ?? [])
