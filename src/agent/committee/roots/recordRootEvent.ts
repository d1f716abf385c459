import type { AnnouncedRoots } from '../../state/announcedRoots.ts'
import { formatFirstDifference, type RootEvent } from './rootEvents.ts'

/** Stores what a member reports about roots, so that `agent status` can show it. Never throws. */
export function recordRootEvent(
  event: RootEvent,
  { roots, nameOf }: { readonly roots: AnnouncedRoots; readonly nameOf: (member: string) => string },
): void {
  if (event.event === 'root_announced') roots.note(event.feedId, nameOf(event.member), event.root)
  if (event.event !== 'roots_differ' || event.first === null) return
  const { member, ownRoot, otherRoot } = event.first
  const first = formatFirstDifference(event.first, nameOf)
  roots.noteDifference(event.feedId, nameOf(member), { ownRoot, otherRoot, first })
}
