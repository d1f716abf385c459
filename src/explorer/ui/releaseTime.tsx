import type { StatusBody } from '../../api/schemas.ts'
import { formatDay, formatUtc } from '../format/moment.ts'
import { Moment } from './time.tsx'

/** What a status says of the next release. */
export type NextRelease = Pick<StatusBody, 'next_due_at' | 'next_due_on' | 'cadence'>

/** When the next release is: a time only where one is known, and marked where wattfeed assumes it. */
export function ReleaseTime({ of: { next_due_at, next_due_on, cadence } }: { of: NextRelease }) {
  if (next_due_at !== null) return <Moment ms={next_due_at} />
  if (next_due_on === null) return <>not known</>
  return (
    <>
      <time dateTime={next_due_on}>{formatDay(Date.parse(next_due_on))}</time>
      {cadence?.is_assumed && <span class="assumed"> assumed</span>}
    </>
  )
}

/** The same as text; null where nothing is known. */
export function releaseWords({ next_due_at, next_due_on, cadence }: NextRelease): string | null {
  if (next_due_at !== null) return formatUtc(next_due_at)
  if (next_due_on === null) return null
  return `${formatDay(Date.parse(next_due_on))}${cadence?.is_assumed ? ' (assumed)' : ''}`
}
