import type { AnswerHeaders } from './headers.ts'
import type { PublicSite } from './publicSite.ts'

/** What search engines may do with every page of the server. */
export interface Indexing {
  /** An element for the head, as HTML; empty if there is none. */
  readonly tag: string
  readonly headers: AnswerHeaders
}

/** Keeps the pages of development chains, whose values are invented, out of search engines. */
export const indexingOf = ({ isPublicChain }: PublicSite): Indexing =>
  isPublicChain
    ? { tag: '', headers: {} }
    : {
        tag: formatTag('meta', { name: 'robots', content: 'noindex' }),
        headers: { 'x-robots-tag': 'noindex' },
      }

/** Returns the elements that the server inserts into the head of the explorer's page for a path, as HTML. */
export type PageHead = (path: string) => Promise<string>

/** Creates the heads of the explorer's pages. */
export function createPageHead(site: PublicSite): PageHead {
  const { tag } = indexingOf(site)
  return async (path) => [tag, ...linksOf(site, path)].join('')
}

/** Returns the links of a page to its other forms. */
function linksOf({ origin }: PublicSite, path: string): string[] {
  if (origin === null) return []
  return [formatTag('link', { rel: 'canonical', href: `${origin}${path}` })]
}

/** Formats an element without content. Its attributes may contain any text. */
export const formatTag = (name: 'link' | 'meta', attributes: Readonly<Record<string, string>>): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${Bun.escapeHTML(value)}"`)
    .join('')}>`
