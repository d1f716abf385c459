import type { Peers } from '../memberState.ts'
import type { MemberRoots } from './memberRoots.ts'

interface AnnounceParts {
  readonly roots: Pick<MemberRoots, 'find' | 'own'>
  readonly peers: Pick<Peers, 'members' | 'announce'>
}

/** Tells all others of a new value of a feed; of a dataset, which root this member holds, and nothing while it holds none. */
export function announce(feedId: string, { roots, peers }: AnnounceParts): void {
  const dataset = roots.find(feedId)
  const root = dataset === null ? undefined : roots.own(dataset)
  if (root === null) return
  for (const member of peers.members) peers.announce(member, feedId, root)
}
