import { defineError, memberAt, type WattfeedError } from '@wattfeed/base'
import { type ExecutedTransaction, type Pending, TransactionFailedError } from '@wattfeed/casper/transaction'
import { accountHashOfHex, formatAccountHash } from '@wattfeed/casper/types'
import { readablePeriod } from '@wattfeed/eia'
import { LRUCache } from 'lru-cache'
import { printable } from '../../runtime/printable.ts'
import { type ChainValue, isSameValue } from '../plan/decide.ts'
import { ChainMovedError } from '../send/checkChain.ts'
import type { Attested } from '../send/createOutbox.ts'
import { LATE, withPatience } from '../send/patience.ts'
import { attestationsOf, pendingFeedIds } from '../state/attestPurpose.ts'
import { formatValue } from './checkValues.ts'
import type { MemberEvent } from './memberState.ts'
import type { Proposal } from './proposal.ts'
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

export type QuorumDisagreedError = InstanceType<typeof QuorumDisagreedError>

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
  readonly values: readonly ChainValue[]
  readonly height: number
}

/** Feeds whose answers are kept. Other members may propose values of any number of feeds that do not exist. */
const MAX_FEEDS = 1_000

/** Those of a few days. */
const MAX_DELIVERED = 1_000

/** Follows what the members answer about each feed, and when its values are attested. */
export class Ballots {
  readonly #options: BallotsOptions
  readonly #answers = new LRUCache<string, Map<string, Refusal | null>>({ max: MAX_FEEDS })
  readonly #waiters = new Map<string, Waiter>()
  readonly #last = new Map<string, LastOfFeed>()
  /**
   * Hashes of transactions that this member has sent. Their execution is noted when it is followed. One that this member
   * has not approved does not end here, so the oldest ones are forgotten.
   */
  readonly #delivered = new LRUCache<string, true>({ max: MAX_DELIVERED })

  constructor(options: BallotsOptions) {
    this.#options = options
    const endAll = () => {
      for (const [feedId, { reject }] of this.#waiters) reject(this.standingOf(feedId))
    }
    options.stop.addEventListener('abort', endAll, { once: true })
  }

  hear(event: MemberEvent): void {
    if (event.event === 'approved') this.#noteAnswer(event.proposal, this.#options.keyHash, null)
    else if (event.event === 'refused') this.#noteAnswer(event.proposal, this.#options.keyHash, event.refusal)
    else if (event.event === 'answered') this.#noteAnswer(event.proposal, event.member, event.refusal)
    else if (event.event === 'delivered') this.#delivered.set(event.proposal.hash, true)
    else if (event.event === 'ended') {
      const { transaction, executed, approvedBy } = event
      const isNotedLater = this.#delivered.delete(transaction.transaction_hash)
      if (executed !== null && !isNotedLater) this.#settle(transaction, executed, approvedBy)
    }
  }

  /** Notes a transaction that was executed, with or without success. */
  noteExecuted(transaction: Pending, executed: ExecutedTransaction): void {
    this.#settle(transaction, executed, signersOf(transaction))
  }

  /**
   * Waits until values are attested.
   *
   * @throws {WaitingForApprovalsError | QuorumDisagreedError} if that takes too long, or the agent stops
   * @throws {ChainMovedError} if the committee has attested another value
   * @throws {TransactionFailedError}
   */
  async wait(awaited: AwaitedValues): Promise<AttestedTogether> {
    const attested = await this.waitFor(awaited, this.#options.patienceMs)
    if (attested === null) throw this.standingOf(awaited.feedId)
    return attested
  }

  /** Waits like {@link Ballots.wait}, but only for so long. Returns null if the values are not attested by then. */
  async waitFor(awaited: AwaitedValues, patienceMs: number): Promise<AttestedTogether | null> {
    const { feedId } = awaited
    const last = this.#last.get(feedId)
    // It may have been executed while this member was reading EIA.
    if (last !== undefined && isAfter(last, awaited) && hasAll(awaited, last)) return last
    if (this.#options.stop.aborted) throw this.standingOf(feedId)
    const { promise, resolve, reject } = Promise.withResolvers<AttestedTogether>()
    const waiter = { awaited, resolve, reject }
    this.#waiters.set(feedId, waiter)
    try {
      const attested = await withPatience(promise, { ...this.#options, patienceMs })
      return attested === LATE ? null : attested
    } finally {
      if (this.#waiters.get(feedId) === waiter) this.#waiters.delete(feedId)
    }
  }

  /** Notes the answer for the feed that a refusal names, or for all feeds of the proposal. */
  #noteAnswer({ attestations }: Proposal, member: string, refusal: Refusal | null): void {
    const named = refusal !== null && 'feed_id' in refusal ? refusal.feed_id : null
    for (const { feed_id } of attestations) {
      if (named !== null && named !== feed_id) continue
      const ofFeed = this.#answers.get(feed_id) ?? new Map<string, Refusal | null>()
      this.#answers.set(feed_id, ofFeed.set(this.#options.nameOf(member), refusal))
    }
  }

  #settle(transaction: Pending, executed: ExecutedTransaction, signedBy: readonly string[]): void {
    const signers = signedBy.map(this.#options.nameOf)
    for (const feedId of pendingFeedIds(transaction)) {
      const waiter = this.#waiters.get(feedId)
      if (executed.errorMessage !== null) waiter?.reject(new TransactionFailedError({ executed }))
      else {
        this.#answers.delete(feedId)
        const values = valuesOf(transaction, feedId)
        const last = { executed, dropped: [], signers, values, height: executed.blockHeight }
        this.#last.set(feedId, last)
        if (waiter !== undefined && isAfter(last, waiter.awaited)) end(waiter, last)
      }
    }
  }

  /** Returns why a feed has no quorum. */
  standingOf(feedId: string): WattfeedError {
    const answers: Answers = this.#answers.get(feedId) ?? new Map()
    for (const [member, refusal] of answers)
      if (refusal?.code === 'different_value')
        return new QuorumDisagreedError({ feedId, member, proposed: refusal.proposed, own: refusal.own })
    return new WaitingForApprovalsError({ feedId, answers, unready: this.#options.unready() })
  }
}

/** Returns the account hashes of the keys that have signed a transaction. */
function signersOf({ transaction }: Pending): string[] {
  const approvals = memberAt(transaction, 'Version1', 'approvals')
  if (!Array.isArray(approvals)) return []
  return approvals.map((each) => formatAccountHash(accountHashOfHex(String(memberAt(each, 'signer')))))
}

const valuesOf = ({ purpose }: Pending, feedId: string): ChainValue[] =>
  attestationsOf(purpose)
    .filter(({ feed_id }) => feed_id === feedId)
    .map((each) => ({ ...each, amount: BigInt(each.amount) }))

/**
 * Whether a transaction was executed after the block of a plan. What was executed before, the plan has taken into account: if it
 * has the same values, they are due again, because others followed that this member has not signed.
 */
const isAfter = (last: LastOfFeed, { height }: AwaitedValues): boolean => last.height > height

const hasAll = (awaited: AwaitedValues, { values }: LastOfFeed): boolean =>
  awaited.values.every((each) => values.some((value) => isSameValue(value, each)))

function end({ awaited, resolve, reject }: Waiter, last: LastOfFeed): void {
  if (hasAll(awaited, last)) resolve(last)
  else reject(otherValueError(awaited, last))
}

function otherValueError(
  { feedId, values: awaited, latest }: AwaitedValues,
  { values }: LastOfFeed,
): WattfeedError {
  for (const proposed of values) {
    const own = awaited.find(({ period }) => period === proposed.period)
    if (own !== undefined && !isSameValue(proposed, own))
      return new QuorumDisagreedError({
        feedId,
        member: 'this member',
        proposed: formatValue(proposed),
        own: formatValue(own),
      })
  }
  return new ChainMovedError({ feedId, expected: latest, found: values.at(-1) ?? null })
}
