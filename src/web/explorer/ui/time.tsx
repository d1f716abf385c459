import { type DatedSeries, describePeriod, formatUtc } from '@wattfeed/eia'
import { now } from '../data/now.ts'
import { formatAge, formatLocal } from '../format/moment.ts'

const machine = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

const inFull = (ms: number): string => {
  const local = formatLocal(ms)
  return local === null ? formatUtc(ms) : `${formatUtc(ms)} · ${local} local time`
}

/** A time in UTC and in the reader's time zone. */
export function Moment({ ms }: { ms: number }) {
  return (
    <time class="moment" dateTime={machine(ms)}>
      {inFull(ms)}
    </time>
  )
}

/** The age of a time, which its tooltip shows. */
export function Age({ ms }: { ms: number }) {
  return (
    <time class="age" dateTime={machine(ms)} title={inFull(ms)}>
      {formatAge(now.value - ms)}
    </time>
  )
}

export function Period({ of, period }: { of: DatedSeries; period: number }) {
  const { words, machine } = describePeriod(of, period)
  return machine === null ? (
    <span class="period">{words}</span>
  ) : (
    <time class="period" dateTime={machine}>
      {words}
    </time>
  )
}
