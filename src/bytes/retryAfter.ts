/**
 * Milliseconds of a `Retry-After` header (RFC 9110: seconds or a date), at most `mostMs`; null where it says nothing.
 *
 * @param now - epoch milliseconds
 */
export function parseRetryAfter(header: string | null, mostMs: number, now = Date.now()): number | null {
  const text = header?.trim() ?? ''
  // A date begins with the day's name; what else Date.parse would take is none.
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /^[a-z]{3}/i.test(text) ? Date.parse(text) - now : NaN
  return Number.isNaN(ms) ? null : Math.min(mostMs, Math.max(0, ms))
}
