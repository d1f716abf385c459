import { formatDay, formatUtc } from '@wattfeed/eia'
import type { StatusBody } from '../../../api/schemas.ts'
import { Moment } from './time.tsx'

/** The fields of a status about the next release. */
export type NextRelease = Pick<StatusBody, 'next_due_at' | 'next_due_on' | 'cadence'>

/** The time of the next release, or its day, which is marked if wattfeed assumes it. */
export function ReleaseTime({ of: { next_due_at, next_due_on, cadence } }: { of: NextRelease }) {
  if (next_due_at !== null) return <Moment ms={next_due_at} />
  if (next_due_on === null) return <>unknown</>
  return (
    <>
      <time dateTime={next_due_on}>{formatDay(Date.parse(next_due_on))}</time>
      {cadence?.is_assumed && <span class="assumed"> assumed</span>}
    </>
  )
}

/** Formats the time of the next release; null if it is not known. */
export function releaseWords({ next_due_at, next_due_on, cadence }: NextRelease): string | null {
  if (next_due_at !== null) return formatUtc(next_due_at)
  if (next_due_on === null) return null
  return `${formatDay(Date.parse(next_due_on))}${cadence?.is_assumed ? ' (assumed)' : ''}`
}
