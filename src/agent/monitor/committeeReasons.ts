import { LIFETIME_MS } from '../committee/slot.ts'
import type { CommitteeFacts } from './committeeWatch.ts'

/** How long a member may be silent. */
const ABSENT_MS = 5 * 60_000

/** How long a member signs nothing after its start, with some time for the first block. */
const START_MS = LIFETIME_MS + 60_000

const EQUIVOCATION_MS = 24 * 60 * 60_000

/** More than the calls of a member's regular work take with all their retries. */
const STUCK_MS = 5 * 60_000

const workReason = (since: number, reason: string) => ({
  code: 'committee',
  message: `the member of the committee does not work since ${timeText(since)}: ${reason}`,
})

/** Why a committee's member is not healthy. */
export function committeeReasons(
  { members, startedAt, tickedAt, failing, unready, equivocators }: CommitteeFacts,
  now: number,
): { code: string; message: string }[] {
  const absent = [...members].filter(([, { lastSeenAt }]) => now - (lastSeenAt ?? startedAt) > ABSENT_MS)
  const caught = [...equivocators].filter(([, { foundAt }]) => now - foundAt < EQUIVOCATION_MS)
  return [
    ...(failing === null ? [] : [workReason(failing.since, failing.reason)]),
    ...(failing !== null || now - tickedAt <= STUCK_MS
      ? []
      : [workReason(tickedAt, 'a node or EIA neither answers nor fails')]),
    ...(unready !== null && now - unready.since > START_MS
      ? [
          {
            code: 'signs_nothing',
            message: `this member signs nothing since ${timeText(unready.since)}: ${unready.reason}`,
          },
        ]
      : []),
    ...absent.map(([name, { error, lastSeenAt }]) => ({
      code: 'member_absent',
      message: `${name} has not answered since ${timeText(lastSeenAt ?? startedAt)}${error === null ? '' : ` (${error})`}: check its agent, its address in COMMITTEE_PEERS and the network`,
    })),
    ...caught.map(([name, { foundAt, isStored }]) => ({
      code: 'equivocation',
      message: `${name} signed two proposals for one slot, found at ${timeText(foundAt)}: its key may be in use twice, or stolen; ${isStored ? 'the evidence is in AGENT_STATE_DIR' : 'the evidence is only in the log, because it could not be stored: its proposals are refused until this agent restarts'}`,
    })),
  ]
}

const timeText = (time: number): string => new Date(time).toISOString()
