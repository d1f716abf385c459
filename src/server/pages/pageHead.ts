import { seriesPageUrl } from '../../web/cite/addresses.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import { clip, MAX_TITLE, showId } from '../feedTexts.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { INVENTED, type PublicSite } from '../publicSite.ts'
import { type DescribedFeed, PICTURE, pathsOf } from './describeFeed.ts'
import { type ExplorerPage, SITE_NAME } from './explorerPages.ts'
import { formatCatalogScript, formatDatasetScript } from './jsonLd.ts'
import type { PageFacts } from './pageFacts.ts'

export interface PageHead {
  /** Replaces the title of the page's file; null keeps it. */
  readonly title: string | null
  /** Replaces the description of the page's file; null keeps it. */
  readonly description: string | null
  /** Additional elements, as HTML. */
  readonly tags: readonly string[]
  /** Whether search engines may list the page. */
  readonly isIndexed: boolean
}

/** Returns the head of the explorer's page at a path. */
export function headOfFacts(facts: PageFacts, site: PublicSite): PageHead {
  if (facts.kind === 'page') return headOfPage(facts.page, site)
  if (facts.kind === 'feed') return headOfFeed(facts.feed, site)
  if (facts.kind === 'series') return headOfSeries(facts, site)
  if (facts.kind === 'unknownSeries') return unlisted(facts.title)
  if (facts.kind === 'unknownPage') return unlisted('No such page')
  const title = showId(facts.feedId)
  if (facts.kind !== 'unread') return unlisted(title)
  // It stays in search engines, because the fault will pass.
  const path = feedHref(facts.feedId)
  return path === null ? unlisted(title) : { ...headOfFile(site, path), title: withSiteName(title) }
}

/** As the explorer's script names the page. */
const withSiteName = (title: string): string => `${title} · ${SITE_NAME}`

const unlisted = (title: string): PageHead => ({
  title: withSiteName(title),
  description: null,
  tags: [],
  isIndexed: false,
})

/** Returns the head of a page whose file has its title and description. */
export const headOfFile = (site: PublicSite, path: string): PageHead => ({
  title: null,
  description: null,
  tags: linksOf(site, path),
  isIndexed: site.isPublicChain,
})

/** What a page is about, for search results and previews of links. */
interface PageSubject {
  /** Without the name of the site. */
  readonly title: string
  readonly description: string
}

function describedHead(
  site: PublicSite,
  path: string,
  { title, description }: PageSubject,
  more: readonly string[],
): PageHead {
  const { tags, isIndexed } = headOfFile(site, path)
  return {
    title: withSiteName(title),
    description,
    tags: [
      ...tags,
      formatTag('meta', { property: 'og:type', content: 'website' }),
      formatTag('meta', { property: 'og:site_name', content: SITE_NAME }),
      formatTag('meta', { property: 'og:title', content: title }),
      formatTag('meta', { property: 'og:description', content: description }),
      ...more,
    ],
    isIndexed,
  }
}

function headOfPage({ path, title, description }: ExplorerPage, site: PublicSite): PageHead {
  const text = site.isPublicChain ? description : `${INVENTED} ${description}`
  const head = describedHead(site, path, { title, description: text }, path === '/' ? catalogTags(site) : [])
  // Previews of links have the name of the site.
  return path === '/' ? { ...head, title: withSiteName('Feeds') } : head
}

function catalogTags(site: PublicSite): string[] {
  const { origin, isPublicChain } = site
  if (origin === null) return []
  return [
    atomLink(`${origin}/feed.atom`),
    formatTag('link', {
      rel: 'alternate',
      type: 'application/ld+json',
      title: 'DCAT',
      href: `${origin}/dcat.jsonld`,
    }),
    formatTag('link', {
      rel: 'alternate',
      type: 'application/json',
      title: 'Data Package',
      href: `${origin}/datapackage.json`,
    }),
    ...(isPublicChain ? [formatCatalogScript(origin)] : []),
  ]
}

function headOfFeed(feed: DescribedFeed, site: PublicSite): PageHead {
  const { origin, isPublicChain } = site
  const path = feedHref(feed.id)
  if (path === null) return unlisted(feed.title)
  const about = isPublicChain ? 'Attested on the Casper blockchain: verify it in your own browser.' : INVENTED
  return describedHead(site, path, { title: feed.title, description: `${feed.newest}. ${about}` }, [
    ...(origin === null
      ? []
      : [
          atomLink(`${origin}/feed.atom?id=${encodeURIComponent(feed.id)}`),
          ...oembedLinks(feed, path, origin),
          ...pictureTags(feed, origin),
        ]),
    ...(origin !== null && isPublicChain ? [formatDatasetScript(feed, origin)] : []),
  ])
}

/** Anyone can name a series that does not exist, so that only those with values are listed. */
function headOfSeries(
  { series, title, found }: Extract<PageFacts, { kind: 'series' }>,
  site: PublicSite,
): PageHead {
  const newest = found?.leaves.at(-1)
  if (newest === undefined) return unlisted(title)
  const value = `${newest.value ?? 'withheld by EIA'} ${newest.unit ?? ''}`.trim()
  const about = site.isPublicChain
    ? 'Attested on the Casper blockchain: verify it in your own browser.'
    : INVENTED
  const description = `${clip(newest.period, MAX_PERIOD)}: ${clip(value, MAX_TITLE)}. ${about}`
  const path = seriesPageUrl('', series)
  const links = site.origin === null ? [] : oembedLinks({ title }, path, site.origin)
  return describedHead(site, path, { title, description }, links)
}

const MAX_PERIOD = 40

/** Returns the link by which feed readers find the new values. */
const atomLink = (href: string): string =>
  formatTag('link', { rel: 'alternate', type: 'application/atom+xml', title: 'New values', href })

/** Returns the links by which editors find the code that embeds the chart. */
const oembedLinks = ({ title }: Pick<DescribedFeed, 'title'>, path: string, origin: string): string[] =>
  ['json', 'xml'].map((format) =>
    formatTag('link', {
      rel: 'alternate',
      type: format === 'json' ? 'application/json+oembed' : 'text/xml+oembed',
      title,
      href: `${origin}/oembed?url=${encodeURIComponent(origin + path)}&format=${format}`,
    }),
  )

function pictureTags({ id, title, unit }: DescribedFeed, origin: string): string[] {
  return [
    formatTag('meta', { property: 'og:image', content: origin + pathsOf(id).picture }),
    formatTag('meta', { property: 'og:image:type', content: 'image/png' }),
    formatTag('meta', { property: 'og:image:width', content: String(PICTURE.width) }),
    formatTag('meta', { property: 'og:image:height', content: String(PICTURE.height) }),
    formatTag('meta', { property: 'og:image:alt', content: `Chart of ${title} in ${unit}` }),
    formatTag('meta', { name: 'twitter:card', content: 'summary_large_image' }),
  ]
}

function linksOf({ origin }: PublicSite, path: string): string[] {
  if (origin === null) return []
  const address = `${origin}${path}`
  return [
    formatTag('link', { rel: 'canonical', href: address }),
    formatTag('meta', { property: 'og:url', content: address }),
  ]
}

/** Formats an element without content. Its attributes may contain any text. */
export const formatTag = (name: 'link' | 'meta', attributes: Readonly<Record<string, string>>): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${Bun.escapeHTML(value)}"`)
    .join('')}>`

const NOINDEX = 'noindex'

/** Returns the header that keeps a page out of search engines, unless they may list it. */
export const robotsHeaders = ({ isIndexed }: Pick<PageHead, 'isIndexed'>): AnswerHeaders =>
  isIndexed ? {} : { 'x-robots-tag': NOINDEX }

export function withHead(page: string, { title, description, tags, isIndexed }: PageHead): string {
  const robots = isIndexed ? [] : [formatTag('meta', { name: 'robots', content: NOINDEX })]
  const titled = title === null ? page : page.replace(/<title>[^<]*/, () => `<title>${Bun.escapeHTML(title)}`)
  const described =
    description === null
      ? titled
      : titled.replace(/<meta name="description"[^>]*>/, () =>
          formatTag('meta', { name: 'description', content: description }),
        )
  return described.replace('</head>', () => `${[...robots, ...tags].join('\n')}</head>`)
}
