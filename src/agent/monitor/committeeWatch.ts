import { readablePeriod } from '@wattfeed/eia'
import { LRUCache } from 'lru-cache'
import { errorFields } from '../../runtime/errorFields.ts'
import type { Log } from '../../runtime/log.ts'
import { evidenceOf } from '../committee/equivocators.ts'
import type { FixedTerms } from '../committee/http/messages.ts'
import { compareTerms, type TermDifference } from '../committee/http/terms.ts'
import type { EndEvent, MemberEvent } from '../committee/memberState.ts'
import { type Proposal, valuesByFeed } from '../committee/proposal.ts'
import type { Refusal } from '../committee/refusal.ts'
import type { RootEvent } from '../committee/roots/rootEvents.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'
import type { CommitteeMetrics } from './committeeMetrics.ts'
import { noteRootEvent, type RootFacts, warnOfDisagreed } from './committeeRoots.ts'

/** What is known about another member. Times are epoch milliseconds. */
export interface MemberFacts {
  /** Null if it has not answered yet. */
  lastSeenAt: number | null
  roundTripMs: number | null
  /** Why the last call failed; null if it has answered. */
  error: string | null
}

/** What is known about the committee. Times are epoch milliseconds. */
export interface CommitteeFacts {
  /** The other members by name. */
  readonly members: Map<string, MemberFacts>
  startedAt: number
  /** When the member's regular work last ended, with or without a failure. */
  tickedAt: number
  /** Since when the member has not been able to do its work, and why; null while it works. */
  failing: { since: number; readonly reason: string } | null
  /** Since when it has not been allowed to sign, and why; null while it may. */
  unready: { since: number; readonly reason: string } | null
  readonly equivocators: Map<string, EquivocatorFacts>
  readonly roots: RootFacts
}

export interface EquivocatorFacts {
  /** Epoch milliseconds. */
  readonly foundAt: number
  /** Whether the evidence is on disk. */
  readonly isStored: boolean
}

/** Collects what happens in a committee, for the log, the metrics and the health report. */
export interface CommitteeWatch {
  readonly facts: CommitteeFacts
  hear(event: MemberEvent | RootEvent): void
  /** Notes the end of a call to another member. @param error null if it answered */
  noteCall(keyHash: string, durationMs: number, error: string | null): void
  /** Notes the terms of another member. */
  noteTerms(keyHash: string, terms: FixedTerms): void
  /** Notes a call of another member. */
  noteSeen(keyHash: string): void
  /**
   * Notes the end of the member's regular work.
   *
   * @param failure null if it worked
   * @param unready why the member signs nothing now; null if it may sign
   */
  noteTick(failure: Error | null, unready: string | null): void
}

export interface CommitteeWatchOptions {
  /** The other members' keys. */
  members: readonly string[]
  nameOf: (keyHash: string) => string
  terms: FixedTerms
  metrics: CommitteeMetrics
  log: Log
  /** Epoch milliseconds. */
  now: () => number
}

export function createCommitteeWatch(options: CommitteeWatchOptions): CommitteeWatch {
  const { members, nameOf, now, log } = options
  const facts: CommitteeFacts = {
    members: new Map(
      members.map((key) => [nameOf(key), { lastSeenAt: null, roundTripMs: null, error: null }]),
    ),
    startedAt: now(),
    tickedAt: now(),
    failing: null,
    unready: null,
    equivocators: new Map(),
    roots: new Map(),
  }
  // Answers may arrive after a transaction has ended, so its end cannot remove them all.
  const answers = new LRUCache<string, string>({ max: MAX_ANSWERS })
  const refusals = new Map<string, RefusalCount>()
  const termsOfOthers = new Map<string, FixedTerms>()
  const differences = (member: string) => {
    const theirs = termsOfOthers.get(member)
    return theirs === undefined ? {} : compareTerms(options.terms, theirs)
  }
  return {
    facts,
    hear: (event) => noteEvent(event, { ...options, facts, answers, refusals, differences }),
    noteTerms: (keyHash, terms) => void termsOfOthers.set(keyHash, terms),
    noteCall(keyHash, durationMs, error) {
      const known = facts.members.get(nameOf(keyHash))
      if (known === undefined) return
      known.error = error
      if (error !== null) return
      known.lastSeenAt = now()
      known.roundTripMs = durationMs
    },
    noteSeen(keyHash) {
      const known = facts.members.get(nameOf(keyHash))
      if (known !== undefined) known.lastSeenAt = now()
    },
    noteTick(failure, unready) {
      facts.tickedAt = now()
      if (failure !== null && facts.failing === null)
        log.warn({ err: failure }, 'committee work failed; retrying')
      if (failure === null && facts.failing !== null) log.info({}, 'committee work resumed')
      facts.failing =
        failure === null ? null : { since: facts.failing?.since ?? now(), reason: failure.message }
      if (unready !== null && facts.unready === null)
        log.info({ reason: unready }, 'this member signs nothing now')
      if (unready === null && facts.unready !== null) log.info({}, 'this member may sign')
      facts.unready = unready === null ? null : { since: facts.unready?.since ?? now(), reason: unready }
      warnOfDisagreed(facts.roots, now(), log)
    },
  }
}

interface Noting extends CommitteeWatchOptions {
  readonly facts: CommitteeFacts
  /** The last answer of each member to each proposal. */
  readonly answers: LRUCache<string, string>
  /** By the proposer's name and the code. */
  readonly refusals: Map<string, RefusalCount>
  /** Compares the last known terms of a member with this member's. */
  readonly differences: (keyHash: string) => Record<string, TermDifference>
}

/** The refusals of a proposer's transactions, for one reason, in a minute. */
interface RefusalCount {
  readonly minute: number
  readonly count: number
}

/** Refusals of a proposer for one reason that are logged in a minute. Those of an honest one are few; a hostile one could fill the disk. */
const MAX_LOGGED = 30

/** More than the answers to all live proposals of a committee. */
const MAX_ANSWERS = 10_000

function noteEvent(event: MemberEvent | RootEvent, noting: Noting): void {
  const { metrics, nameOf, log } = noting
  if ('feedId' in event) noteRootEvent(event, { ...noting, roots: noting.facts.roots })
  else if (event.event === 'proposed') {
    metrics.proposed()
    log.info(fieldsOf(event.proposal), 'proposal sent to the committee')
  } else if (event.event === 'approved') {
    const proposer = nameOf(event.proposer)
    metrics.approved(proposer)
    log.info({ ...fieldsOf(event.proposal), proposer }, 'proposal approved')
  } else if (event.event === 'refused') noteRefusal(event, noting)
  else if (event.event === 'answered') noteAnswer(event, noting)
  else if (event.event === 'delivered')
    log.info(fieldsOf(event.proposal), 'proposal has enough approvals and is sent')
  else if (event.event === 'equivocated') noteEquivocation(event, noting)
  else if (event.event === 'ended') noteEnd(event, noting)
}

function noteRefusal(
  { proposal, proposer: key, refusal }: Extract<MemberEvent, { event: 'refused' }>,
  noting: Noting,
): void {
  const { metrics, nameOf, log } = noting
  const proposer = nameOf(key)
  metrics.refused(proposer, refusal.code)
  if (!isLogged({ proposer, code: refusal.code }, noting)) return
  const isAlarm = refusal.code === 'different_value' || refusal.code === 'not_leader'
  const terms = differentTerms(refusal, key, noting)
  const fields = { ...fieldsOf(proposal), proposer, ...terms, refusal: forPeople(refusal) }
  if (isAlarm) log.warn(fields, 'proposal refused')
  else log.info(fields, 'proposal refused')
}

/** Counts a refusal, and returns whether it is logged. */
function isLogged(
  about: { readonly proposer: string; readonly code: Refusal['code'] },
  { refusals, now, log }: Noting,
): boolean {
  const minute = Math.floor(now() / 60_000)
  const key = JSON.stringify(about)
  const known = refusals.get(key)
  const count = 1 + (known?.minute === minute ? known.count : 0)
  refusals.set(key, { minute, count })
  if (count === MAX_LOGGED + 1)
    log.warn(about, 'too many proposals refused: the others of this minute are not logged')
  return count <= MAX_LOGGED
}

function noteEquivocation(
  { equivocation, storeError }: Extract<MemberEvent, { event: 'equivocated' }>,
  { metrics, nameOf, facts, log, now }: Noting,
): void {
  const { leader, first, second } = equivocation
  const member = nameOf(leader)
  metrics.equivocated(member)
  facts.equivocators.set(member, { foundAt: now(), isStored: storeError === null })
  log.error(
    { member, transaction_hashes: [first.proposal.hash, second.proposal.hash] },
    'a member signed two proposals for one slot',
  )
  if (storeError !== null)
    log.error(
      { member, reason: errorFields(storeError).message, evidence: evidenceOf(equivocation) },
      'cannot store the evidence of an equivocation',
    )
}

const fieldsOf = (proposal: Proposal) => ({
  transaction_hash: proposal.hash,
  feed_ids: [...valuesByFeed(proposal).keys()],
})

/** Converts a refusal for the log. */
function forPeople(refusal: Refusal): object {
  if (refusal.code !== 'different_value') return refusal
  const { proposed, own } = refusal
  return {
    ...refusal,
    proposed: { ...proposed, period: readablePeriod(proposed.period) },
    own: { ...own, period: readablePeriod(own.period) },
  }
}

function noteAnswer(
  { proposal, member, refusal }: Extract<MemberEvent, { event: 'answered' }>,
  noting: Noting,
): void {
  const { answers, metrics, nameOf, log } = noting
  const key = `${proposal.hash} ${member}`
  const answer = refusal?.code ?? 'approved'
  // A member sends its approval again and again, and gets the same answers.
  if (answers.get(key) === answer) return
  answers.set(key, answer)
  metrics.answered(nameOf(member), answer)
  if (refusal === null) return
  const fields = { ...fieldsOf(proposal), member: nameOf(member), refusal: forPeople(refusal) }
  if (refusal.code === 'different_value') log.warn(fields, 'a member has another value')
  const different = differentTerms(refusal, member, noting)
  if ('different_terms' in different) log.warn({ ...fields, ...different }, 'a member has other terms')
}

/** Returns the terms on which this member and another one disagree, as a field of the log, if they may cause a refusal. */
function differentTerms({ code }: Refusal, member: string, { differences }: Noting): object {
  if (code !== 'invalid_terms') return {}
  const different_terms = differences(member)
  return Object.keys(different_terms).length === 0 ? {} : { different_terms }
}

function noteEnd({ transaction, executed, approvedBy, answers }: EndEvent, { nameOf, log }: Noting): void {
  const { transaction_hash } = transaction
  const fields = {
    transaction_hash,
    feed_ids: pendingFeedIds(transaction),
    signers: approvedBy.map(nameOf),
  }
  if (executed !== null) {
    const { errorMessage } = executed
    if (errorMessage === null) log.info(fields, 'attested by the committee')
    else log.warn({ ...fields, error_message: errorMessage }, "the committee's transaction failed")
    return
  }
  const ofMembers = [...answers].map(([member, refusal]) => ({
    member: nameOf(member),
    answer: refusal?.code ?? 'approved',
  }))
  log.warn({ ...fields, answers: ofMembers }, 'proposal expired')
}
