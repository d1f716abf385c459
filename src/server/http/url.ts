// `Request.url` is absolute if the Host header is valid. Otherwise (HTTP/1.0, a stray character), and for CONNECT, it is the bare
// request target. Elysia splits at the same place.
const pathStart = (url: string): number =>
  url.startsWith('http://') || url.startsWith('https://') ? url.indexOf('/', url.indexOf('://') + 3) : 0

/** Returns the percent-encoded path of a request's URL, without the query; the whole target if it has no path. */
export function urlPath(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Returns the encoded query of a request's URL, without the `?`; empty if there is none. */
export function urlQuery(url: string): string {
  const start = url.indexOf('?', pathStart(url))
  return start === -1 ? '' : url.slice(start + 1)
}
