import type { NewAttestation } from 'wattfeed/internal'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { type BatchOptions, batchAttestations, fitsBatch } from './attestCall.ts'
import type { ChainValue, SourcedAttestation } from './decide.ts'

/** Why a step attests a value. `restated` attests the chain's newest value again, to keep it the newest. */
export type Role = 'newest' | 'caught-up' | 'revised' | 'restated'

/** An attestation of a plan. */
export interface PlannedAttestation extends SourcedAttestation {
  readonly role: Role
}

/** What is due for a feed. */
export interface GroupInput {
  feed: Pick<FeedConfig, 'feed_id'>
  /** The chain's newest value; null if there is none. */
  latest: ChainValue | null
  batch: BatchOptions
  /** Values up to the chain's newest period, oldest first. */
  corrections: readonly PlannedAttestation[]
  /** Values later than the chain's newest period, oldest first. */
  news: readonly PlannedAttestation[]
  /** Whether the chain's newest value may be attested again. */
  mayRestate: boolean
}

/**
 * Groups attestations into steps. Corrections end with the first new value, or with the newest value again. Without either they
 * wait.
 */
export function groupSteps(due: GroupInput): PlannedAttestation[][] {
  const { feed, latest, batch, corrections, news, mayRestate } = due
  const corrected = corrections.find(({ period }) => period === latest?.period)
  const older = corrections.filter((each) => each !== corrected)
  if (latest === null || older.length === 0) return batchAttestations([...corrections, ...news], batch)
  const { period, amount, source_hash } = latest
  const restated = { feed_id: feed.feed_id, period, amount, source_hash, role: 'restated' as const }
  const [first] = news
  const closing = corrected ?? (mayRestate ? restated : first)
  if (closing === undefined) return []
  const groups = groupPast(older, closing, batch)
  // The id is too long for two values in one transaction, so earlier periods cannot be corrected.
  if (groups === null) return batchAttestations([...(corrected ? [corrected] : []), ...news], batch)
  if (closing === first) return [...groups.map(endAgain), ...batchAttestations(news.slice(1), batch)]
  const before = groups.slice(0, -1)
  const last = groups.at(-1) ?? []
  // The first new value may end the last group in place of `closing`, if the chain has that by then.
  const open = last.slice(0, -1)
  const isOnChain = corrected === undefined || before.length > 0
  if (first !== undefined && isOnChain && fitsBatch([...open, first], batch))
    return [...before, ...batchAttestations([...open, ...news], batch)]
  return [...before, ...batchAttestations([...last, ...news], batch)]
}

/** The first group adds its last value, and the others attest it again. */
const endAgain = (group: readonly PlannedAttestation[], index: number): PlannedAttestation[] =>
  group.map((each, place) => (index > 0 && place === group.length - 1 ? { ...each, role: 'restated' } : each))

/**
 * Groups values of one feed into transactions, in order, each as large as possible. With `closing`, which has the feed's
 * newest period, each transaction ends with it, so that the latest value is right after each transaction.
 *
 * @returns null if no value fits a transaction together with `closing`.
 */
export function groupPast<T extends NewAttestation>(
  past: readonly T[],
  closing: T | null,
  options: BatchOptions,
): T[][] | null {
  if (closing === null) return batchAttestations(past, options)
  const groups: T[][] = []
  for (const each of past) {
    const group = groups.at(-1)
    if (group !== undefined && fitsBatch([...group, each], options)) group.splice(-1, 0, each)
    else if (fitsBatch([each, closing], options)) groups.push([each, closing])
    else return null
  }
  return groups
}
