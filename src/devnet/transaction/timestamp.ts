import { InvalidParamsError, textOf } from '../params.ts'

/** Epoch milliseconds of an RFC 3339 time in UTC. Throws an {@link InvalidParamsError}. */
export function parseTimestamp(value: unknown): number {
  const text = textOf(value)
  const isRfc3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(text)
  const timestampMs = isRfc3339 ? Date.parse(`${text.replace(' ', 'T').replace('Z', '')}Z`) : Number.NaN
  if (!Number.isNaN(timestampMs)) return timestampMs
  throw new InvalidParamsError('timestamp format is invalid')
}
