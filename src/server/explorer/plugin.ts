import { lazy } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { VERIFIER_PATH } from '../../web/site/places.ts'
import { hidden } from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { type AnswerHeaders, commonHeaders, ERROR_HEADER } from '../http/headers.ts'
import { assetHeaders, headersOfSavedPage, prefersPage } from '../http/pages.ts'
import { UnknownPathError, urlPath } from '../http/paths.ts'
import { ASSETS_PATH } from '../pages/builtAssets.ts'
import { type PageFacts, readPageFacts } from '../pages/pageFacts.ts'
import { headOfFacts, robotsHeaders, withHead } from '../pages/pageHead.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import { apiIndexDocs, apiIndexOf } from './apiIndex.ts'
import { loadPageFiles } from './pageFiles.ts'
import { withPlainPage } from './plainPage.ts'

// Browsers request the icon with every response that they display, such as JSON.
const ICON_HEADERS = { 'cache-control': 'public, max-age=86400' }

/**
 * The pages, and the list of endpoints at the same address as the first page. All pages are the same file but for the head
 * and what they show without JavaScript; its script shows the page for the URL. The first request loads the files, and from source builds them.
 */
export function explorer(server: Server, series: SeriesReader | null) {
  const load = lazy(() => loadPageFiles(server.notice))
  const index = apiIndexOf(server.network, series !== null)
  const answerPage = async ({ request }: { request: Request }): Promise<Response> => {
    const path = urlPath(request.url)
    const { searchParams } = new URL(request.url)
    const asked = { path, query: searchParams }
    const [{ page, headersAt }, facts] = await Promise.all([
      load(),
      readPageFacts({ ...server, series }, asked),
    ])
    const head = headOfFacts(facts, server.site)
    const html = withPlainPage(withHead(page, head), facts)
    const headers = { ...headersAt(path), ...robotsHeaders(head) }
    const missing = missingCode(facts)
    if (missing !== null) return missingResponse(html, { ...headers, [ERROR_HEADER]: missing })
    // Not kept between requests, because the page has the newest value.
    return contentResponse(request, createContent(html, PAGE_TYPE), headers)
  }
  return new Elysia({ name: 'explorer' })
    .get(
      '/',
      ({ request, set }) => {
        if (prefersPage(request)) return answerPage({ request })
        set.headers.vary = 'Accept, Accept-Encoding'
        return index
      },
      apiIndexDocs,
    )
    .get('/explorer', answerPage, hidden)
    .get('/explorer/*', answerPage, hidden)
    .get(VERIFIER_PATH, ({ request }) => answerVerifier(request), hidden)
    .get(
      '/favicon.ico',
      async ({ request }) => contentResponse(request, (await load()).icon, ICON_HEADERS),
      hidden,
    )
    .get(
      `${ASSETS_PATH}:name`,
      async ({ request }) => {
        const path = urlPath(request.url)
        const asset = (await load()).assets.get(path.slice(path.lastIndexOf('/') + 1))
        if (asset === undefined) throw new UnknownPathError({ path })
        return fileResponse(request, asset, assetHeaders)
      },
      hidden,
    )
}

/** Returns the code of the error of a page that does not exist; null for others. */
function missingCode(facts: PageFacts): string | null {
  if (facts.kind === 'unknownFeed') return 'feed_not_found'
  if (facts.kind === 'unknownSeries') return facts.code
  return facts.kind === 'unknownPage' ? 'unknown_path' : null
}

/** The page itself says what is missing, and suggests others. */
const missingResponse = (html: string, headers: AnswerHeaders): Response =>
  new Response(html, {
    status: 404,
    headers: { ...commonHeaders, ...headers, 'content-type': PAGE_TYPE, 'cache-control': 'no-store' },
  })

/** The page that checks proofs offline. It is an attachment, because only a saved copy is independent of this server. */
async function answerVerifier(request: Request): Promise<Response> {
  const { content, headers } = await loadVerifier()
  return fileResponse(request, content, headers)
}

const loadVerifier = lazy(async () => {
  const { verifierFile } = await import('../../web/site/verifierFile.ts')
  return {
    content: createContent(verifierFile, 'text/html'),
    headers: {
      ...headersOfSavedPage(verifierFile),
      'cache-control': 'no-cache',
      'content-disposition': 'attachment; filename="wattfeed-verifier.html"',
    },
  }
})

const PAGE_TYPE = 'text/html;charset=utf-8'
