import { callMember, PeerError } from '../../agent/committee/http/callMember.ts'
import { paths, Terms } from '../../agent/committee/http/messages.ts'
import type { Member } from '../../committee/membersFile.ts'

export interface AgentReport {
  readonly name: string
  readonly address: string
  readonly round_trip_ms: number | null
  /** How far the member's clock is ahead of this machine's, in milliseconds, to within half a round trip. */
  readonly clock_ahead_ms: number | null
  /** Null if it did not answer. */
  readonly terms: Terms | null
  readonly error: string | null
}

const TIMEOUT_MS = 10_000

export const readAgents = (
  members: readonly Pick<Member, 'name' | 'accountHash' | 'address'>[],
): Promise<AgentReport[]> =>
  Promise.all(
    members.flatMap(({ name, accountHash, address }) =>
      address === null ? [] : [readAgent(name ?? accountHash, accountHash, address)],
    ),
  )

async function readAgent(name: string, accountHash: string, address: string): Promise<AgentReport> {
  const sentAt = Date.now()
  try {
    const terms = await callMember(
      { name, address },
      { path: paths.terms, schema: Terms, fetch, timeoutMs: TIMEOUT_MS },
    )
    if (terms.member !== accountHash) throw new PeerError(name, `answers as another member, ${terms.member}`)
    const round_trip_ms = Date.now() - sentAt
    const clock_ahead_ms = Math.round(terms.clock - sentAt - round_trip_ms / 2)
    return { name, address, round_trip_ms, clock_ahead_ms, terms, error: null }
  } catch (error) {
    if (!(error instanceof PeerError)) throw error
    return { name, address, round_trip_ms: null, clock_ahead_ms: null, terms: null, error: error.message }
  }
}
