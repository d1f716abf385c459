import { Elysia } from 'elysia'
import type { Reading, Snapshot } from 'wattfeed'
import { printableJson } from '../../runtime/printable.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import {
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  exampleReading,
  hidden,
  publicUrlError,
  textAnswers,
} from '../http/apiDocs.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { headersSet, JSON_TYPE } from '../http/headers.ts'
import { createVariantCache } from '../http/memo.ts'
import { UnknownPathError, urlPath } from '../http/paths.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { type DescribedFeed, describeFeed } from '../pages/describeFeed.ts'
import { readFirstPeriod } from '../pages/firstPeriod.ts'
import { robotsHeaders } from '../pages/pageHead.ts'
import { type PublicSite, requireOrigin } from '../publicSite.ts'
import type { Server } from '../server.ts'
import { createDataPackage } from './dataPackage.ts'
import { createDcat } from './dcat.ts'
import { createSitemap } from './sitemap.ts'

const SITEMAP_PATH = '/sitemap.xml'

/** The media type of JSON-LD. @see https://www.w3.org/TR/json-ld11/#iana-considerations */
const JSON_LD_TYPE = 'application/ld+json'
const XML_TYPE = 'application/xml; charset=utf-8'

interface Context {
  request: Request
  set: { headers: Record<string, string | number> }
}

/** The feeds for catalogs and search engines. */
export function discovery({ site, answerAt }: Server) {
  const { isPublicChain } = site
  const robots = createContent(formatRobots(site), 'text/plain; charset=utf-8')
  const describe = (readings: readonly Reading[]): DescribedFeed[] =>
    readings.map((reading) => describeFeed(reading, null, site))

  const readDataPackage = oncePerList(async (readings, { origin }) =>
    createContent(JSON.stringify(createDataPackage(describe(readings), origin, isPublicChain)), JSON_TYPE),
  )
  const readDcat = oncePerList(async (readings, { at, origin }) => {
    const feeds = await Promise.all(
      readings.map(async (reading) =>
        describeFeed(reading, await readFirstPeriod(at, reading.feed_id), site),
      ),
    )
    const json = JSON.stringify(createDcat(feeds, origin, isPublicChain))
    return createContent(printableJson(json), JSON_LD_TYPE)
  })
  /** Returns the sitemap, and its parts if one file cannot hold it. */
  const readSitemap = oncePerList(async (readings, { origin }) => {
    const { main, parts } = createSitemap(describe(readings), await listDocs(), origin)
    const contentOf = (xml: string) => createContent(xml, XML_TYPE)
    return { main: contentOf(main), parts: parts.map(contentOf) }
  })

  /** Answers with a file, on a development chain as one that search engines leave out. */
  async function answer(
    { request, set }: Context,
    read: (place: FilePlace) => Promise<Content>,
  ): Promise<Response> {
    const origin = requireOrigin(site, urlPath(request.url))
    const content = await answerAt(set, (at) => read({ at, origin }))
    const headers = { ...headersSet(set), ...robotsHeaders({ isIndexed: isPublicChain }) }
    return contentResponse(request, content, headers)
  }

  const documented = (detail: object) => ({ ...strictQuery({}), headers: conditionalHeaders, detail })
  return new Elysia({ name: 'discovery' })
    .get('/robots.txt', ({ request }) => contentResponse(request, robots), hidden)
    .get('/datapackage.json', (context) => answer(context, readDataPackage), documented(dataPackageDetail))
    .get('/dcat.jsonld', (context) => answer(context, readDcat), documented(dcatDetail))
    .get(SITEMAP_PATH, (context) => answer(context, async (place) => (await readSitemap(place)).main), hidden)
    .get(
      '/sitemap/:number',
      (context) =>
        answer(context, async (place) => {
          const { parts } = await readSitemap(place)
          const part = parts[Number(context.params.number)]
          if (part === undefined) throw new UnknownPathError({ path: urlPath(context.request.url) })
          return part
        }),
      hidden,
    )
}

/** Where a file is read, and the origin of its addresses. */
interface FilePlace {
  readonly at: Snapshot
  readonly origin: string
}

/**
 * Returns a function that makes something of the feeds that have a page, once per list; a failure is not cached. The client
 * returns the same list until a value changes.
 */
function oncePerList<T extends object>(
  make: (readings: readonly Reading[], place: FilePlace) => Promise<T>,
): (place: FilePlace) => Promise<T> {
  const cached = createVariantCache<readonly Reading[], T>()
  return async (place) => {
    const readings = await place.at.listReadings()
    return cached(readings, {}, () => make(readings.filter(hasPage), place))
  }
}

const hasPage = ({ feed_id }: Reading): boolean => feedHref(feed_id) !== null

async function listDocs(): Promise<string[]> {
  const { docsFiles } = await import('../../web/docs/docsFiles.ts')
  const pages = docsFiles.filter(({ type }) => type.startsWith('text/html'))
  return pages.map(({ name }) => (name === '' ? '/docs' : `/docs/${name}`))
}

/**
 * Formats `robots.txt`. On a development chain it allows every page, too: a crawler only sees that a page is `noindex` if it may
 * load the page. The stream is left out, because it never ends.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9309
 */
function formatRobots({ origin, isPublicChain }: PublicSite): string {
  const lines = ['User-agent: *', 'Disallow: /v1/stream']
  if (origin !== null && isPublicChain) lines.push('', `Sitemap: ${origin}${SITEMAP_PATH}`)
  return `${lines.join('\n')}\n`
}

const EXAMPLE_ORIGIN = 'https://feeds.example.com'
const exampleFeeds = [
  describeFeed({ ...exampleReading, amount: BigInt(exampleReading.amount) }, exampleReading.period, {
    origin: EXAMPLE_ORIGIN,
    isPublicChain: true,
  }),
]

const errors = {
  400: errorAnswers[400],
  404: publicUrlError,
  ...chainErrors,
}

const dataPackageDetail = {
  operationId: 'getDataPackage',
  summary: 'Describe all feeds as a Data Package',
  description:
    'The Data Package (version 2) of all feeds: the table of their newest values, and the CSV of each history with the types and units of its columns. On a development chain it names no source and no license.',
  tags: ['feeds'],
  responses: textAnswers(
    'The Data Package.',
    JSON_TYPE,
    createDataPackage(exampleFeeds, EXAMPLE_ORIGIN, true),
    errors,
  ),
}

const dcatDetail = {
  operationId: 'getDcat',
  summary: 'Describe all feeds as a DCAT catalog',
  description:
    'The DCAT 3 catalog of all feeds as JSON-LD: titles, periods, files, source and license. On a development chain it names no source and no license.',
  tags: ['feeds'],
  responses: textAnswers(
    'The catalog.',
    JSON_LD_TYPE,
    createDcat(exampleFeeds, EXAMPLE_ORIGIN, true),
    errors,
  ),
}
