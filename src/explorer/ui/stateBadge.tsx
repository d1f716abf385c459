import type { FeedStatus } from '../data/statuses.ts'
import { formatUtc } from '../format/moment.ts'

/** Whether a feed's value is there when its calendar lets one expect it: a word, never colour alone. */
export function StateBadge({ status }: { status: FeedStatus | undefined }) {
  const state = status?.state ?? 'unknown'
  const next = status?.next_due_at ?? null
  const title = next === null ? undefined : `next value expected ${formatUtc(next)}`
  // By its key another word is another element, in the middle of the same room.
  return (
    <span key={state} class={`badge is-${state}`} title={title}>
      {state}
    </span>
  )
}
