/**
 * Parses a `Retry-After` header (RFC 9110: seconds or a date). Returns milliseconds, at most `maxMs`; null if invalid.
 *
 * @param now - epoch milliseconds
 */
export function parseRetryAfter(header: string | null, maxMs: number, now = Date.now()): number | null {
  const text = header?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - now
  return Number.isNaN(ms) ? null : Math.min(maxMs, Math.max(0, ms))
}

/** Date.parse accepts more than HTTP dates, which start with the day's name. */
const parseHttpDate = (text: string): number => (/^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN)
