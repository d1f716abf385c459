import type { StatusBody } from '../../../api/schemas.ts'
import { type NextRelease, releaseWords } from './releaseTime.tsx'

/** A feed's state as a word, never by color alone. */
export function StateBadge({ status }: { status: (NextRelease & Pick<StatusBody, 'state'>) | undefined }) {
  const state = status?.state ?? 'unknown'
  const next = status === undefined ? null : releaseWords(status)
  const title = next === null ? undefined : `next value expected ${next}`
  // The key replaces the element when the word changes, so that the layout does not shift.
  return (
    <span key={state} class={`badge is-${state}`} title={title}>
      {state}
    </span>
  )
}
