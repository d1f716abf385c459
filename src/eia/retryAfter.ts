/**
 * Milliseconds of a `Retry-After` header (RFC 9110: seconds or a date), or null where it says nothing.
 *
 * @param now - epoch milliseconds
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  const text = header?.trim() ?? ''
  if (text === '') return null
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
