import type { KnownProposal } from './knownProposals.ts'
import type { MemberState } from './memberState.ts'
import { formatTransaction } from './proposal.ts'

/** Sends a proposal with its known approvals to all other members. */
export function broadcast({ peers, now, onEvent }: MemberState, known: KnownProposal): void {
  const { proposal, approvals, answers } = known
  known.sentAt = now()
  const transaction = formatTransaction({ proposal, approvals })
  for (const member of peers.members)
    peers.send(member, transaction).then(
      (refusal) => {
        answers.set(member, refusal)
        onEvent({ event: 'answered', proposal, member, refusal })
      },
      // It is sent again until it expires.
      () => {},
    )
}
