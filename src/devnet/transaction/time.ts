import { DecodeError } from '../../bytes/cursor.ts'
import { parseDuration as parseNodeDuration } from '../../casper/types/duration.ts'
import { InvalidParamsError, textOf } from '../params.ts'

/** Parses a duration like a node. Returns milliseconds. */
export function parseDuration(text: string): number {
  try {
    return parseNodeDuration(text)
  } catch (error) {
    throw error instanceof DecodeError ? new InvalidParamsError({ rule: error.rule }) : error
  }
}

/** Parses an RFC 3339 time in UTC. Returns epoch milliseconds. */
export function parseTimestamp(value: unknown): number {
  const text = textOf(value)
  const isRfc3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(text)
  if (!isRfc3339) throw new InvalidParamsError({ rule: 'timestamp format is invalid' })
  const timestampMs = Date.parse(`${text.replace(' ', 'T').replace('Z', '')}Z`)
  if (timestampMs >= 0 && isDay(timestampMs, text)) return timestampMs
  throw new InvalidParamsError({ rule: 'timestamp is out of range' })
}

/** Whether the day exists: JavaScript parses February 30 as March 2. */
const isDay = (timestampMs: number, text: string): boolean =>
  new Date(timestampMs).toISOString().slice(0, 10) === text.slice(0, 10)
