import { LRUCache } from 'lru-cache'
import { memberAt } from '../../bytes/memberAt.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { TransactionFailedError } from '../../casper/transaction/settlement.ts'
import { accountHashOfHex, formatAccountHash } from '../../casper/types/accountHash.ts'
import { defineError } from '../../defineError.ts'
import { readablePeriod } from '../../eia/readablePeriod.ts'
import type { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { printable } from '../../runtime/printable.ts'
import type { ChainValue } from '../plan/decide.ts'
import { ChainMovedError } from '../send/checkChain.ts'
import type { Attested } from '../send/createOutbox.ts'
import { LATE, withPatience } from '../send/patience.ts'
import { type AttestPurpose, type PendingAttestations, pendingFeedIds } from '../state/attestPurpose.ts'
import type { MemberEvent } from './memberState.ts'
import type { Refusal, RefusedValue } from './refusal.ts'

/** What each member has answered about a feed: null for an approval. By the member's name. */
type Answers = ReadonlyMap<string, Refusal | null>

/** The committee has not attested a value yet. */
export const WaitingForApprovalsError = defineError(
  'WaitingForApprovalsError',
  'waiting_for_approvals',
  (facts: {
    feedId: string
    answers: Answers
    /** Why this member signs nothing now; null if it may sign. */
    unready: string | null
  }) => {
    const answered = [...facts.answers].map(([member, refusal]) => `${member} ${answerWords(refusal)}`)
    const said = answered.length === 0 ? 'no member has answered' : answered.join(', ')
    return `${facts.feedId} waits for approvals: ${said}${facts.unready === null ? '' : `; ${facts.unready}`}; the committee continues, and the next cycle looks again`
  },
  { retryable: true },
)

/** Members have different values of a period, so too few of them approve one. */
export const QuorumDisagreedError = defineError(
  'QuorumDisagreedError',
  'quorum_disagreed',
  (facts: {
    feedId: string
    /** The name of the member that has refused the value. */
    member: string
    proposed: RefusedValue
    own: RefusedValue
  }) =>
    `the members disagree about ${facts.feedId}: ${valueWords(facts.proposed)} was proposed, but ${facts.member} has ${valueWords(facts.own)}; compare both with EIA and find out which member is wrong`,
  { retryable: true },
)

/** Makes the text of another member fit to be printed. */
const quote = (text: string): string => printable(text).slice(0, 300)

const valueWords = ({ period, amount, source_hash }: RefusedValue): string =>
  `${amount} of period ${readablePeriod(period)} (source ${quote(source_hash)})`

const answerWords = (refusal: Refusal | null): string =>
  refusal === null
    ? 'approved'
    : `answered ${refusal.code}${'detail' in refusal ? ` (${quote(refusal.detail)})` : ''}`

/** The values of the transaction that a feed waits for, and the chain's newest value that they are based on. */
export interface AwaitedValues {
  readonly feedId: string
  /** Height of the block at which the chain was read. */
  readonly height: number
  readonly latest: ChainValue | null
  readonly values: readonly ChainValue[]
}

/** The transaction that has attested a value. */
export interface AttestedTogether extends Attested {
  readonly executed: ExecutedTransaction
  /** Names of the members that have signed, as far as this member knows. */
  readonly signers: readonly string[]
}

/** Follows what the members answer about each feed, and when its values are attested. */
export interface Ballots {
  onEvent(event: MemberEvent): void
  /** Notes a transaction that was executed, with or without success. */
  executed(transaction: PendingAttestations, executed: ExecutedTransaction): void
  /**
   * Waits until values are attested.
   *
   * @throws {WaitingForApprovalsError | QuorumDisagreedError} if that takes too long, or the agent stops
   * @throws {ChainMovedError} if the committee has attested another value
   * @throws {TransactionFailedError}
   */
  wait(awaited: AwaitedValues): Promise<AttestedTogether>
}

export interface BallotsOptions {
  nameOf: (keyHash: string) => string
  /** Account hash of this member's key. */
  keyHash: string
  /** Returns why this member signs nothing now; null if it may sign. */
  unready: () => string | null
  patienceMs: number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  stop: AbortSignal
}

interface Waiter {
  readonly awaited: AwaitedValues
  readonly resolve: (attested: AttestedTogether) => void
  readonly reject: (error: Error) => void
}

/** The last transaction of a feed that was executed with success. */
interface LastOfFeed extends AttestedTogether {
  readonly values: AttestPurpose['attestations']
  readonly height: number
}

interface BallotsState {
  readonly options: BallotsOptions
  readonly answers: LRUCache<string, Map<string, Refusal | null>>
  readonly waiters: Map<string, Waiter>
  readonly last: Map<string, LastOfFeed>
  /**
   * Hashes of transactions that this member has sent. Their execution is reported when it is followed. One that this member
   * has not approved does not end here, so the oldest ones are forgotten.
   */
  readonly delivered: LRUCache<string, true>
}

/** Feeds whose answers are kept. Other members may propose values of any number of feeds that do not exist. */
const MAX_FEEDS = 1_000

/** Those of a few days. */
const MAX_DELIVERED = 1_000

export function createBallots(options: BallotsOptions): Ballots {
  const state: BallotsState = {
    options,
    answers: new LRUCache({ max: MAX_FEEDS }),
    waiters: new Map(),
    last: new Map(),
    delivered: new LRUCache({ max: MAX_DELIVERED }),
  }
  const endAll = () => {
    for (const [feedId, { reject }] of state.waiters) reject(standingOf(state, feedId))
  }
  options.stop.addEventListener('abort', endAll, { once: true })
  return {
    onEvent: (event) => noteEvent(state, event),
    executed(transaction, executed) {
      settle(state, { transaction, executed, signers: signersOf(transaction).map(options.nameOf) })
    },
    wait: (awaited) => waitFor(state, awaited),
  }
}

function noteEvent(state: BallotsState, event: MemberEvent): void {
  const { keyHash, nameOf } = state.options
  if (event.event === 'approved') noteAnswer(state, event.proposal.attestations, keyHash, null)
  else if (event.event === 'refused') noteAnswer(state, event.proposal.attestations, keyHash, event.refusal)
  else if (event.event === 'answered')
    noteAnswer(state, event.proposal.attestations, event.member, event.refusal)
  else if (event.event === 'delivered') state.delivered.set(event.proposal.hash, true)
  else if (event.event === 'ended') {
    const { transaction, executed, approvedBy } = event
    const isReported = state.delivered.delete(transaction.transaction_hash)
    if (executed !== null && !isReported)
      settle(state, { transaction, executed, signers: approvedBy.map(nameOf) })
  }
}

/** Returns the account hashes of the keys that have signed a transaction. */
function signersOf({ transaction }: PendingAttestations): string[] {
  const approvals = memberAt(transaction, 'Version1', 'approvals')
  if (!Array.isArray(approvals)) return []
  return approvals.map((each) => formatAccountHash(accountHashOfHex(String(memberAt(each, 'signer')))))
}

/** Notes the answer for the feed that a refusal names, or for all feeds of the proposal. */
function noteAnswer(
  { answers, options }: BallotsState,
  attestations: readonly Pick<NewAttestation, 'feed_id'>[],
  member: string,
  refusal: Refusal | null,
): void {
  const named = refusal !== null && 'feed_id' in refusal ? refusal.feed_id : null
  for (const { feed_id } of attestations) {
    if (named !== null && named !== feed_id) continue
    const ofFeed = answers.get(feed_id) ?? new Map<string, Refusal | null>()
    answers.set(feed_id, ofFeed.set(options.nameOf(member), refusal))
  }
}

interface Executed {
  readonly transaction: PendingAttestations
  readonly executed: ExecutedTransaction
  readonly signers: readonly string[]
}

function settle(state: BallotsState, { transaction, executed, signers }: Executed): void {
  const { purpose } = transaction
  for (const feedId of pendingFeedIds(transaction)) {
    const values = purpose.attestations.filter(({ feed_id }) => feed_id === feedId)
    const waiter = state.waiters.get(feedId)
    if (executed.errorMessage !== null) waiter?.reject(new TransactionFailedError({ executed }))
    else {
      state.answers.delete(feedId)
      const last = { executed, dropped: [], signers, values, height: executed.blockHeight }
      state.last.set(feedId, last)
      if (waiter !== undefined && isAfter(last, waiter.awaited)) end(waiter, last)
    }
  }
}

/**
 * Whether a transaction was executed after the block of a plan. What was executed before, the plan has taken into account: if it
 * has the same values, they are due again, because others followed that this member has not signed.
 */
const isAfter = (last: LastOfFeed, { height }: AwaitedValues): boolean => last.height > height

function end({ awaited, resolve, reject }: Waiter, last: LastOfFeed): void {
  if (hasAll(awaited, last)) resolve(last)
  else reject(otherValueError(awaited, last))
}

function otherValueError(
  { feedId, values: awaited, latest }: AwaitedValues,
  { values }: LastOfFeed,
): WattfeedError {
  for (const attested of values) {
    const own = awaited.find(({ period }) => period === attested.period)
    if (own !== undefined && !isSame(attested, own))
      return new QuorumDisagreedError({
        feedId,
        member: 'this member',
        proposed: attested,
        own: { ...own, amount: `${own.amount}` },
      })
  }
  const newest = values.at(-1)
  const found = newest === undefined ? null : { ...newest, amount: BigInt(newest.amount) }
  return new ChainMovedError({ feedId, expected: latest, found })
}

const hasAll = (awaited: AwaitedValues, { values }: LastOfFeed): boolean =>
  awaited.values.every((each) => values.some((value) => isSame(value, each)))

const isSame = ({ period, amount, source_hash }: LastOfFeed['values'][number], other: ChainValue): boolean =>
  period === other.period && BigInt(amount) === other.amount && source_hash === other.source_hash

async function waitFor(state: BallotsState, awaited: AwaitedValues): Promise<AttestedTogether> {
  const { patienceMs, wait, stop } = state.options
  const { feedId } = awaited
  const last = state.last.get(feedId)
  // It may have been executed while this member was reading EIA.
  if (last !== undefined && isAfter(last, awaited) && hasAll(awaited, last)) return last
  if (stop.aborted) throw standingOf(state, feedId)
  const { promise, resolve, reject } = Promise.withResolvers<AttestedTogether>()
  const waiter = { awaited, resolve, reject }
  state.waiters.set(feedId, waiter)
  try {
    const attested = await withPatience(promise, { patienceMs, wait })
    if (attested === LATE) throw standingOf(state, feedId)
    return attested
  } finally {
    if (state.waiters.get(feedId) === waiter) state.waiters.delete(feedId)
  }
}

/** Returns why a feed has no quorum. */
function standingOf({ answers, options }: BallotsState, feedId: string): WattfeedError {
  const ofFeed: Answers = answers.get(feedId) ?? new Map()
  for (const [member, refusal] of ofFeed)
    if (refusal?.code === 'different_value')
      return new QuorumDisagreedError({ feedId, member, proposed: refusal.proposed, own: refusal.own })
  return new WaitingForApprovalsError({ feedId, answers: ofFeed, unready: options.unready() })
}
