import type { StatusBody } from '../../api/schemas.ts'
import { type NextRelease, releaseWords } from './releaseTime.tsx'

/** Whether a feed's value is there when its calendar lets one expect it: a word, never colour alone. */
export function StateBadge({ status }: { status: (NextRelease & Pick<StatusBody, 'state'>) | undefined }) {
  const state = status?.state ?? 'unknown'
  const next = status === undefined ? null : releaseWords(status)
  const title = next === null ? undefined : `next value expected ${next}`
  // With its key, another word is another element in the middle of the same room.
  return (
    <span key={state} class={`badge is-${state}`} title={title}>
      {state}
    </span>
  )
}
