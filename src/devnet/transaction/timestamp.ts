import { InvalidParamsError, textOf } from '../params.ts'

/** Epoch milliseconds of an RFC 3339 time in UTC. Throws an {@link InvalidParamsError}. */
export function parseTimestamp(value: unknown): number {
  const text = textOf(value)
  const isRfc3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(text)
  if (!isRfc3339) throw new InvalidParamsError('timestamp format is invalid')
  const timestampMs = Date.parse(`${text.replace(' ', 'T').replace('Z', '')}Z`)
  if (timestampMs >= 0 && isDay(timestampMs, text)) return timestampMs
  throw new InvalidParamsError('timestamp is out of range')
}

/** JavaScript takes the 30th of February for the 2nd of March. */
const isDay = (timestampMs: number, text: string): boolean =>
  new Date(timestampMs).toISOString().slice(0, 10) === text.slice(0, 10)
