// `Request.url` is absolute, except without a valid Host header (HTTP/1.0, a stray character) and for CONNECT, whose
// target is `host:port`: then Bun passes the bare request target. Elysia splits at the same place.
const pathStart = (url: string): number =>
  url.startsWith('http://') || url.startsWith('https://') ? url.indexOf('/', url.indexOf('://') + 3) : 0

/** Returns the path of a request's URL, percent-encoded and without the query; the whole target if it has no path. */
export function urlPath(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Returns the query of a request's URL, encoded and without the `?`; empty if there is none. */
export function urlQuery(url: string): string {
  const start = url.indexOf('?', pathStart(url))
  return start === -1 ? '' : url.slice(start + 1)
}
