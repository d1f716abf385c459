import { lazy } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { movedPages } from '../../web/docs/movedPages.ts'
import { hidden } from '../http/apiDocs.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import { assetHeaders, pageHeaders, withNotice } from '../http/pages.ts'
import { UnknownPathError, urlPath } from '../http/paths.ts'
import { headOfFile, robotsHeaders, withHead } from '../pages/pageHead.ts'
import type { PublicSite } from '../publicSite.ts'
import type { Server } from '../server.ts'
import { openapi } from './openapi.ts'

/** The documentation, and that of the API. It is rendered when the binary is built, or from source on the first request. */
export function docs({ notice, site }: Server) {
  const robots = robotsHeaders(headOfFile(site, '/docs'))
  const headers = { ...pageHeaders, ...robots, 'cache-control': 'no-cache' }
  const load = lazy(() => loadFiles(notice, site))
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    const path = urlPath(request.url)
    const name = path.replace(/^\/docs\/?|\/$/g, '')
    const moved = movedPages.get(name)
    if (moved !== undefined)
      return new Response(null, { status: 301, headers: { ...robots, location: `/docs/${moved}` } })
    const file = (await load()).get(name)
    if (file === undefined) throw new UnknownPathError({ path })
    if (name.startsWith('assets/')) return fileResponse(request, file, assetHeaders)
    return contentResponse(request, file, headers)
  }
  return new Elysia({ name: 'docs' })
    .get('/docs', answer, hidden)
    .get('/docs/*', answer, hidden)
    .use(openapi(site))
}

async function loadFiles(notice: string | null, site: PublicSite): Promise<ReadonlyMap<string, Content>> {
  const { docsFiles } = await import('../../web/docs/docsFiles.ts')
  return new Map(
    docsFiles.map(({ name, type, text }) => {
      if (!type.startsWith('text/html')) return [name, createContent(text, type)]
      const head = headOfFile(site, name === '' ? '/docs' : `/docs/${name}`)
      return [name, createContent(withHead(withNotice(text, notice), head), type)]
    }),
  )
}
