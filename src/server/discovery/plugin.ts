import { Elysia } from 'elysia'
import type { Snapshot } from '../../client/index.ts'
import type { AnswerAt } from '../answerAt.ts'
import {
  chainErrors,
  conditionalHeaders,
  errorAnswers,
  publicUrlError,
  textAnswers,
} from '../http/apiDocs.ts'
import { exampleReading } from '../http/apiExamples.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { headersSet, JSON_TYPE } from '../http/headers.ts'
import { hidden } from '../http/pages.ts'
import { UnknownPathError } from '../http/paths.ts'
import { strictQuery } from '../http/query.ts'
import { urlPath } from '../http/url.ts'
import { type PublicSite, PublicUrlUnsetError } from '../publicSite.ts'
import { createDataPackage } from './dataPackage.ts'
import { createDcat } from './dcat.ts'
import { describeFeed } from './describeFeed.ts'
import { createDiscoveryFiles, type DiscoveryFiles, JSON_LD_TYPE } from './discoveryFiles.ts'
import type { FirstPeriodOf } from './firstPeriods.ts'
import { robotsHeaders } from './pageHead.ts'
import { formatRobots, SITEMAP_PATH } from './robots.ts'

export interface DiscoveryOptions {
  site: PublicSite
  answerAt: AnswerAt
  firstPeriodOf: FirstPeriodOf
}

interface Context {
  request: Request
  set: { headers: Record<string, string | number> }
}

export function createDiscovery({ site, answerAt, firstPeriodOf }: DiscoveryOptions) {
  const { origin, isPublicChain } = site
  const files = origin === null ? null : createDiscoveryFiles(origin, site, firstPeriodOf)
  const robots = createContent(formatRobots(site), 'text/plain; charset=utf-8')

  /** Answers with a file, on a development chain as one that search engines leave out. */
  async function answer(
    { request, set }: Context,
    read: (files: DiscoveryFiles, at: Snapshot) => Promise<Content>,
  ): Promise<Response> {
    if (files === null) throw new PublicUrlUnsetError({ path: urlPath(request.url) })
    const content = await answerAt(set, (at) => read(files, at))
    const headers = { ...headersSet(set), ...robotsHeaders({ isIndexed: isPublicChain }) }
    return contentResponse(request, content, headers)
  }

  const documented = (detail: object) => ({ ...strictQuery({}), headers: conditionalHeaders, detail })
  return new Elysia({ name: 'discovery' })
    .get('/robots.txt', ({ request }) => contentResponse(request, robots), hidden)
    .get(
      '/datapackage.json',
      (context) => answer(context, (files, at) => files.dataPackage(at)),
      documented(dataPackageDetail),
    )
    .get('/dcat.jsonld', (context) => answer(context, (files, at) => files.dcat(at)), documented(dcatDetail))
    .get(
      SITEMAP_PATH,
      (context) => answer(context, async (files, at) => (await files.sitemap(at)).main),
      hidden,
    )
    .get(
      '/sitemap/:number',
      (context) =>
        answer(context, async (files, at) => {
          const { parts } = await files.sitemap(at)
          const part = parts[Number(context.params.number)]
          if (part === undefined) throw new UnknownPathError({ path: urlPath(context.request.url) })
          return part
        }),
      hidden,
    )
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
