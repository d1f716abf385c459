// `Request.url` is absolute, except where the Host header is none (HTTP/1.0, a stray character): then Bun hands over
// the bare request target. So it does for CONNECT, whose target is `host:port` and no path. `Elysia`'s own split
// begins at the same place.
const pathStart = (url: string): number =>
  url.startsWith('http://') || url.startsWith('https://') ? url.indexOf('/', url.indexOf('://') + 3) : 0

/** The path of a request's URL, still percent-encoded and without the query; the whole target where it has no path. */
export function urlPath(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** The query of a request's URL, still encoded and without the `?`; empty where there is none. */
export function urlQuery(url: string): string {
  const start = url.indexOf('?', pathStart(url))
  return start === -1 ? '' : url.slice(start + 1)
}
