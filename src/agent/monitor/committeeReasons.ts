import { LIFETIME_MS } from '../committee/slot.ts'
import { listDisagreed } from './committeeRoots.ts'
import type { CommitteeFacts } from './committeeWatch.ts'

/** How long a member may be silent. */
const ABSENT_MS = 5 * 60_000

/** How long a member signs nothing after its start, with some time for the first block. */
const START_MS = LIFETIME_MS + 60_000

/** How long an equivocation is reported after it was found. */
const EQUIVOCATION_MS = 24 * 60 * 60_000

/** More than the calls of a member's regular work take with all their retries. */
const STUCK_MS = 5 * 60_000

interface Reason {
  code: string
  message: string
  feed_ids?: readonly string[]
}

/** Returns why a committee's member is not healthy. */
export const committeeReasons = (facts: CommitteeFacts, now: number): Reason[] => [
  ...idleWork(facts, now),
  ...signsNothing(facts, now),
  ...absentMembers(facts, now),
  ...equivocations(facts, now),
  ...differingRoots(facts, now),
]

function idleWork({ failing, tickedAt }: CommitteeFacts, now: number): Reason[] {
  if (failing !== null) return [workReason(failing.since, failing.reason)]
  if (now - tickedAt <= STUCK_MS) return []
  return [workReason(tickedAt, 'a node or EIA neither answers nor fails')]
}

const workReason = (since: number, reason: string): Reason => ({
  code: 'committee',
  message: `the member of the committee does not work since ${timeText(since)}: ${reason}`,
})

function signsNothing({ unready }: CommitteeFacts, now: number): Reason[] {
  if (unready === null || now - unready.since <= START_MS) return []
  const message = `this member signs nothing since ${timeText(unready.since)}: ${unready.reason}`
  return [{ code: 'signs_nothing', message }]
}

const absentMembers = ({ members, startedAt }: CommitteeFacts, now: number): Reason[] =>
  [...members].flatMap(([name, { error, lastSeenAt }]) => {
    const since = lastSeenAt ?? startedAt
    if (now - since <= ABSENT_MS) return []
    const why = error === null ? '' : ` (${error})`
    const message = `${name} has not answered since ${timeText(since)}${why}: check its agent, its address in COMMITTEE_PEERS and the network`
    return [{ code: 'member_absent', message }]
  })

const equivocations = ({ equivocators }: CommitteeFacts, now: number): Reason[] =>
  [...equivocators].flatMap(([name, { foundAt, isStored }]) => {
    if (now - foundAt >= EQUIVOCATION_MS) return []
    const evidence = isStored
      ? 'the evidence is in AGENT_STATE_DIR'
      : 'the evidence is only in the log, because it could not be stored: its proposals are refused until this agent restarts'
    const message = `${name} signed two proposals for one slot, found at ${timeText(foundAt)}: its key may be in use twice, or stolen; ${evidence}`
    return [{ code: 'equivocation', message }]
  })

const differingRoots = ({ roots }: CommitteeFacts, now: number): Reason[] =>
  listDisagreed(roots, now).map(([feedId, { since, members, othersAgree, first }]) => {
    const who = members.length === 0 ? 'other members' : members.join(', ')
    const where = first === null ? 'where they differ is not known' : `first ${first}`
    const what = othersAgree
      ? `since ${timeText(since)}, this member has held another root than enough others, which attest without it`
      : `the members have not agreed on a root since ${timeText(since)}, and nothing is attested`
    const message = `${feedId}: ${what}; ${who} and this member hold different ones: ${where}; compare the value with EIA`
    return { code: 'no_common_root', message, feed_ids: [feedId] }
  })

const timeText = (time: number): string => new Date(time).toISOString()
