import { InvalidArgumentError } from 'commander'
import { defaultIntervals, formatIntervals, type Intervals, parseInterval } from '../intervals.ts'

/** Reads `--interval daily=30m`, which can be given several times. */
export function readInterval(text: string, intervals: Intervals = defaultIntervals): Intervals {
  const changed = parseInterval(text, intervals)
  if (changed !== null) return changed
  throw new InvalidArgumentError(
    `It must be one of ${Object.keys(intervals).join(', ')}, then = and a number of s, m, h or d, a week at most.`,
  )
}

/** The intervals unless they are changed, as they are given. */
export const intervalDefaults = formatIntervals(defaultIntervals)
