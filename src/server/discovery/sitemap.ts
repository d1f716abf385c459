import { feedHref } from '../../web/site/feedPath.ts'
import type { DescribedFeed } from '../pages/describeFeed.ts'
import { explorerPages } from '../pages/explorerPages.ts'

/** Maximum number of addresses per file. @see https://www.sitemaps.org/protocol.html */
const MAX_URLS = 50_000
const MAX_URL_LENGTH = 2_048

export interface Sitemap {
  /** The pages, or the index of the parts. */
  readonly main: string
  /** The pages, if one file cannot hold them. */
  readonly parts: readonly string[]
}

interface SitemapPage {
  readonly url: string
  /** ISO 8601 */
  readonly lastmod?: string
}

/** @param docs the paths of the documentation's pages */
export function createSitemap(
  feeds: readonly DescribedFeed[],
  docs: readonly string[],
  origin: string,
): Sitemap {
  const pages = listPages(feeds, docs, origin)
  if (pages.length <= MAX_URLS) return { main: formatPages(pages), parts: [] }
  const count = Math.ceil(pages.length / MAX_URLS)
  const numbers = Array.from({ length: count }, (_, index) => index)
  const parts = numbers.map((index) => formatPages(pages.slice(index * MAX_URLS, (index + 1) * MAX_URLS)))
  const index = numbers.map((number) => `<sitemap><loc>${origin}/sitemap/${number}</loc></sitemap>`)
  return { main: documentOf('sitemapindex', index), parts }
}

function listPages(feeds: readonly DescribedFeed[], docs: readonly string[], origin: string): SitemapPage[] {
  const pageOf = (path: string, lastmod: string | null = null): SitemapPage => ({
    url: origin + path,
    ...(lastmod && { lastmod }),
  })
  const times = feeds.flatMap(({ modified }) => modified ?? []).sort()
  return [
    ...explorerPages.map(({ path }) => pageOf(path, path === '/' ? times.at(-1) : null)),
    pageOf('/openapi'),
    ...docs.map((path) => pageOf(path)),
    ...feeds.flatMap(({ id, modified }) => {
      const path = feedHref(id)
      return path === null ? [] : pageOf(path, modified)
    }),
  ].filter(({ url }) => url.length < MAX_URL_LENGTH)
}

const formatPages = (pages: readonly SitemapPage[]): string =>
  documentOf(
    'urlset',
    pages.map(({ url, lastmod }) => {
      const time = lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`
      return `<url><loc>${Bun.escapeHTML(url)}</loc>${time}</url>`
    }),
  )

const documentOf = (root: 'urlset' | 'sitemapindex', items: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${items.join('')}</${root}>`
