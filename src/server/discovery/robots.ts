import type { PublicSite } from '../publicSite.ts'

export const SITEMAP_PATH = '/sitemap.xml'

/**
 * Formats `robots.txt`. On a development chain it allows every page, too: a crawler only sees that a page is `noindex` if it may
 * load the page. The stream is left out, because it never ends.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9309
 */
export function formatRobots({ origin, isPublicChain }: PublicSite): string {
  const lines = ['User-agent: *', 'Disallow: /v1/stream']
  if (origin !== null && isPublicChain) lines.push('', `Sitemap: ${origin}${SITEMAP_PATH}`)
  return `${lines.join('\n')}\n`
}
