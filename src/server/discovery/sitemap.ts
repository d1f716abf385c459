import { Readable } from 'node:stream'
import { ErrorLevel, SitemapIndexStream, SitemapStream, streamToPromise } from 'sitemap'
import { feedHref } from '../../web/site/feedPath.ts'
import type { DescribedFeed } from './describeFeed.ts'
import { explorerPages } from './explorerPages.ts'

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
export async function createSitemap(
  feeds: readonly DescribedFeed[],
  docs: readonly string[],
  origin: string,
): Promise<Sitemap> {
  const pages = listPages(feeds, docs, origin)
  if (pages.length <= MAX_URLS) return { main: await formatPages(pages), parts: [] }
  const count = Math.ceil(pages.length / MAX_URLS)
  const numbers = Array.from({ length: count }, (_, index) => index)
  const parts = numbers.map((index) => formatPages(pages.slice(index * MAX_URLS, (index + 1) * MAX_URLS)))
  const index = numbers.map((number) => ({ url: `${origin}/sitemap/${number}` }))
  return {
    main: await textOf(index, new SitemapIndexStream({ level: ErrorLevel.THROW })),
    parts: await Promise.all(parts),
  }
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

const formatPages = (pages: readonly SitemapPage[]): Promise<string> =>
  textOf(
    pages,
    new SitemapStream({
      level: ErrorLevel.THROW,
      xmlns: { news: false, xhtml: false, image: false, video: false },
    }),
  )

async function textOf(
  items: readonly SitemapPage[],
  stream: SitemapStream | SitemapIndexStream,
): Promise<string> {
  const xml = await streamToPromise(Readable.from(items).pipe(stream))
  return xml.toString()
}
