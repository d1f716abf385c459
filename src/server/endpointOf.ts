const FEED = /^\/v1\/feeds\/[^/]+\/?$/
const PROOF = /^\/v1\/feeds\/[^/]+\/proof\/?$/

/**
 * Makes what tells to which endpoint a path belongs: its pattern, or null.
 *
 * It agrees with the router: one slash more at the end is the same endpoint.
 */
export function createEndpointOf(patterns: readonly string[]): (path: string) => string | null {
  const known = new Set(patterns)
  return (path) => {
    if (FEED.test(path)) return '/v1/feeds/:id'
    if (PROOF.test(path)) return '/v1/feeds/:id/proof'
    if (known.has(path)) return path
    const withoutSlash = path.slice(0, -1)
    return path.endsWith('/') && withoutSlash !== '/' && known.has(withoutSlash) ? withoutSlash : null
  }
}
