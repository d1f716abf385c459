import { computed, signal } from '@preact/signals'
import type { SeriesQuery } from '@wattfeed/dataset'
import type { ProvenSeries } from 'wattfeed'
import type { SeriesBody, SeriesHistoryBody } from '../../../api/schemas.ts'
import { now } from '../data/now.ts'
import type { FeedReading } from '../data/readings.ts'
import { MAX_BLOCK_AGE_MS } from '../format/blockAge.ts'
import type { PadlockProps } from '../ui/padlock.tsx'
import {
  type CheckOptions,
  checkProof,
  isOld,
  isProven,
  type ProofCheck,
  ProofUnavailableError,
  type RangeSubject,
  type Subject,
} from './checkProof.ts'
import { isOfAnotherNetwork } from './stages.ts'
import { rememberedTrust, setTrust, type Trust } from './trust.ts'

/** The newest check of a subject. */
export interface Check {
  readonly isRunning: boolean
  readonly check: ProofCheck | null
  /** Why the newest attempt has no result, or null. */
  readonly fault: string | null
  readonly checkedAt: number | null
}

const NONE: Check = { isRunning: false, check: null, fault: null, checkedAt: null }

/** More subjects than a reader looks at before the first ones need a new check. */
const MAX_CHECKS = 500

const checks = signal<ReadonlyMap<string, Check>>(new Map())

/** Identifies a subject. As JSON, no feed's id is that of a series. */
const keyOf = (subject: Subject): string => JSON.stringify(subject)

/** Identifies a trust without its checkpoint, which follows from the rest. */
const identity = (trust: Trust | null): string => JSON.stringify({ ...trust, checkpoint: null })

/** Changes when the reader trusts another block. */
export const trustIdentity = computed(() => identity(rememberedTrust.value))

// Checks from another trusted block do not count.
trustIdentity.subscribe(() => {
  checks.value = new Map()
})

function update(subject: Subject, changes: Partial<Check>): void {
  const all = new Map(checks.value)
  const key = keyOf(subject)
  const known = all.get(key) ?? NONE
  all.delete(key)
  all.set(key, { ...known, ...changes })
  for (const [oldest, { isRunning }] of all) {
    if (all.size <= MAX_CHECKS) break
    if (!isRunning) all.delete(oldest)
  }
  checks.value = all
}

/**
 * Checks a feed's newest value, a series or a range, from the trusted block, and advances the checkpoint.
 *
 * @returns Why the check has no result; null if it has one, or if it was aborted.
 */
export async function runCheck(
  subject: Subject,
  options: Omit<CheckOptions, 'index'> = {},
): Promise<ProofUnavailableError | null> {
  const trust = rememberedTrust.value
  if (trust === null || checkOf(subject).isRunning) return null
  update(subject, { isRunning: true, fault: null })
  const found = await checkProof('', subject, trust, options).catch((error: unknown) => {
    if (options.signal?.aborted) return null
    return asUnavailable(error)
  })
  // The reader has changed the trusted block during the check.
  if (trustIdentity.value !== identity(trust)) return null
  if (found === null) update(subject, { isRunning: false })
  else if (found instanceof ProofUnavailableError) {
    update(subject, { isRunning: false, check: null, fault: found.message, checkedAt: Date.now() })
    return found
  } else {
    update(subject, { isRunning: false, check: found, checkedAt: Date.now() })
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

/** Returns the newest check of a subject. */
export const checkOf = (subject: Subject): Check => checks.value.get(keyOf(subject)) ?? NONE

/** What a proof says of what is shown. */
type Agreement = 'same' | 'refuted' | 'undecided'

/** Returns the padlock of what a subject's check agrees with. */
function padlockOfCheck(
  { check, isRunning }: Check,
  agreementOf: (check: ProofCheck) => Agreement,
): PadlockProps['of'] {
  const unchecked = { state: isRunning ? 'checking' : 'unchecked', blockTime: null } as const
  if (check === null || isOfAnotherNetwork(check.links)) return unchecked
  // A proof that what is shown does not exist refutes it, too.
  if (!isProven(check)) return { state: 'broken', blockTime: null, reason: whyRefuted(check) }
  const agreement = agreementOf(check)
  if (agreement === 'undecided') return unchecked
  return agreement === 'refuted'
    ? { state: 'broken', blockTime: null, reason: 'another value is proven' }
    : { state: isOld(check, now.value) ? 'old' : 'checked', blockTime: check.blockTime }
}

/** Returns the padlock of exactly this reading, including its unit, decimals and texts. A newer one is unchecked. */
export const padlockOf = (feed: FeedReading): PadlockProps['of'] =>
  padlockOfCheck(checkOf(feed.feed_id), ({ proven, blockTime }) => {
    if (proven === null) return 'undecided'
    const shown = new Map<string, unknown>(Object.entries(feed))
    const differing = Object.entries(proven).filter(([name, value]) => !Object.is(shown.get(name), value))
    if (differing.length === 0) return 'same'
    // The proof's block includes the time of the shown value, so it would show that value.
    const isCovered = feed.updated_at <= (blockTime ?? 0) && proven.updated_at <= feed.updated_at
    return isCovered && differing.some(([name]) => valueFields.has(name)) ? 'refuted' : 'undecided'
  })

const valueFields: ReadonlySet<string> = new Set([
  'amount',
  'period',
  'source_hash',
  'updated_at',
] satisfies (keyof FeedReading)[])

/** Returns the padlock of exactly this value of a series. One of another root is unchecked. */
export const seriesPadlockOf = (query: SeriesQuery, shown: SeriesBody): PadlockProps['of'] =>
  padlockOfCheck(checkOf(query), ({ series }) => {
    if (series === null || series.root !== shown.root) return 'undecided'
    // One root says one thing about a series.
    if (seriesFields.some((name) => series[name] !== shown[name])) return 'refuted'
    const { attested_at, index, is_newest_root } = shown
    const isSame = series.attested_at === attested_at && (series.index ?? index) === index
    // Whether an earlier root is the newest is not proven.
    return isSame && !(is_newest_root && series.index !== null) ? 'same' : 'undecided'
  })

const seriesFields = [
  'feed_id',
  'size',
  'period',
  'value',
  'unit',
  'leaf_index',
] as const satisfies (keyof ProvenSeries & keyof SeriesBody)[]

/** The values of a range that a page shows, oldest first, and the root that has them. */
export type ShownRange = Omit<SeriesHistoryBody, 'next' | 'proof'>

/** Returns the one padlock of exactly these values of a series: all of them and no others. Those of another root are unchecked. */
export const rangePadlockOf = (subject: RangeSubject, shown: ShownRange): PadlockProps['of'] =>
  padlockOfCheck(checkOf(subject), ({ range }) => {
    if (range === null || range.root !== shown.root) return 'undecided'
    // One root says one thing about a range.
    const { items, feed_id, size, attested_at, index, is_newest_root } = shown
    const isEqual =
      range.feed_id === feed_id &&
      range.size === size &&
      range.values.length === items.length &&
      range.values.every(({ period, value, unit }, at) => {
        const item = items[at]
        const isThere = item?.leaf_index === (range.first_index ?? 0) + at
        return isThere && item.period === period && item.value === value && item.unit === unit
      })
    if (!isEqual) return 'refuted'
    const isSame = range.attested_at === attested_at && (range.index ?? index) === index
    // Whether an earlier root is the newest is not proven, unless the reader has chosen the root.
    const isClaimed = is_newest_root && range.index !== null && subject.index === null
    return isSame && !isClaimed ? 'same' : 'undecided'
  })

function whyRefuted({ links, absence }: ProofCheck): string {
  const broken = links.find(({ holds }) => !holds)
  if (broken !== undefined) return broken.link
  return absence?.absent === 'feed' ? 'the feed is not registered' : 'the feed has no value'
}

/** A check without a result, and one of another reading than the shown one, is repeated after this time. */
const RETRY_MS = 30_000
/** About the time between two blocks: the newest final block may be older than the shown value. */
const NEXT_BLOCK_MS = 5_000

/** Returns whether a reading on the screen needs a check at a time, or is being checked. */
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

/** Returns whether the newest check of a feed has no result. */
export const hasFailed = (feedId: string): boolean => checkOf(feedId).fault !== null

/** Returns whether a feed's proof is of a chain or registries other than the reader's. */
export const isForeign = (feedId: string): boolean => isOfAnotherNetwork(checkOf(feedId).check?.links ?? [])
