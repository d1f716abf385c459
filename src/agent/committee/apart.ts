import { LRUCache } from 'lru-cache'
import { type ChainValue, isSameValue } from '../plan/decide.ts'
import type { FeedPlan, PlannedFeed } from '../plan/plan.ts'
import { hasHonestSigner } from './hasHonestSigner.ts'
import type { KnownProposal } from './knownProposals.ts'
import { type ExpiredValue, isApproved, type MemberState, type MemberView } from './memberState.ts'
import { type Proposal, valuesByFeed } from './proposal.ts'
import { type Refusal, refuse } from './refusal.ts'

/** Feeds that are kept of a leader. Hostile members may sign values of any number of feeds that do not exist. */
const MAX_FEEDS = 1_000

/**
 * Forgets a proposal that has expired, and notes its values if it was not executed: one of them may be disputed. What neither this
 * member nor an honest one has signed may be junk.
 */
export async function noteExpired(
  state: MemberState,
  known: KnownProposal,
  { keys }: MemberView,
): Promise<void> {
  const { proposal, leader } = known
  const isShown = hasHonestSigner(state, known, keys)
  const isNoted = leader !== null && (isShown || isApproved(state, known))
  const executed = isNoted ? await state.chain.findExecution(proposal.hash) : null
  state.known.remove(proposal.hash)
  if (!isNoted || executed !== null) return
  const values = state.expired.get(leader) ?? new LRUCache<string, ExpiredValue>({ max: MAX_FEEDS })
  state.expired.set(leader, values)
  const { expiresAt } = proposal
  for (const each of proposal.attestations) values.set(each.feed_id, { ...each, expiresAt, isShown })
}

/**
 * Lists the feeds that this member proposes apart, so that a disputed value does not hold up the others again. A root is always apart,
 * because members may hold different ones for hours.
 */
export function listApart(
  { expired, roots }: MemberState,
  plans: readonly PlannedFeed[],
): ReadonlySet<string> {
  const apart = plans.filter(
    (plan) =>
      roots.find(plan.feedId) !== null ||
      [...expired.values()].some((values) => isMissing(values.get(plan.feedId), plan)),
  )
  return new Set(apart.map(({ feedId }) => feedId))
}

/**
 * Refuses several feeds together if an honest leader would propose one of them apart. Its own transaction with the feed has expired, or
 * one that all had seen before this proposal was made.
 *
 * Without this rule, a hostile leader could propose feeds together with a disputed one at the end of each of its slots. They would
 * be locked until its next slot, again and again.
 */
export async function checkApart(
  { chain, expired, roots }: MemberState,
  { proposal, leader }: KnownProposal,
  view: MemberView,
): Promise<Refusal | null> {
  const feedIds = [...valuesByFeed(proposal).keys()]
  if (feedIds.length < 2) return null
  for (const feedId of feedIds) {
    if (roots.find(feedId) !== null)
      return refuse('invalid_terms', `${feedId} is a dataset, whose root must be proposed apart`)
    const values = [...expired].flatMap(([of, each]) => {
      const value = each.get(feedId)
      return value !== undefined && (of === leader || isSeenBefore(value, proposal)) ? [value] : []
    })
    if (values.length === 0) continue
    const plan = await chain.plan(feedId, view)
    if (values.some((value) => isMissing(value, plan)))
      return refuse('stale_node', `a transaction with ${feedId} has expired, so it must be proposed apart`)
  }
  return null
}

/** Returns whether all members had seen an expired transaction before they could make a proposal. */
const isSeenBefore = ({ isShown, expiresAt }: ExpiredValue, { timestamp }: Proposal): boolean =>
  isShown && expiresAt < timestamp

/** Returns whether the chain has neither a value nor one of a later period. */
function isMissing(value: ChainValue | undefined, plan: FeedPlan): boolean {
  if (value === undefined || plan.error !== null) return false
  const { latest } = plan
  if (latest === null || latest.period < value.period) return true
  return latest.period === value.period && !isSameValue(latest, value)
}
