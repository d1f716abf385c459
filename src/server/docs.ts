import { Elysia } from 'elysia'
import { lazy } from '../async/lazy.ts'
import { fileResponse } from './fileResponse.ts'
import type { Indexing } from './pageHead.ts'
import { assetHeaders, hidden, pageHeaders, withHead, withNotice } from './pages.ts'
import { type Content, contentResponse, createContent } from './plugins/content.ts'
import { UnknownPathError } from './plugins/paths.ts'
import { urlPath } from './url.ts'

interface DocsOptions {
  /** A notice above every page. */
  notice: string | null
  indexing: Indexing
}

/** `GET /docs/…`: the documentation. It is rendered when the binary is built, or from source on the first request. */
export function createDocs({ notice, indexing }: DocsOptions) {
  const headers = { ...pageHeaders, ...indexing.headers, 'cache-control': 'no-cache' }
  const load = lazy(() => loadFiles(notice, indexing))
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    const path = urlPath(request.url)
    const name = path.replace(/^\/docs\/?|\/$/g, '')
    const file = (await load()).get(name)
    if (file === undefined) throw new UnknownPathError(path)
    if (name.startsWith('assets/')) return fileResponse(request, file, assetHeaders)
    return contentResponse(request, file, headers)
  }
  return new Elysia({ name: 'docs' }).get('/docs', answer, hidden).get('/docs/*', answer, hidden)
}

async function loadFiles(notice: string | null, { tag }: Indexing): Promise<ReadonlyMap<string, Content>> {
  const { docsFiles } = await import('../docs/docsFiles.ts')
  return new Map(
    docsFiles.map(({ name, type, text }) => {
      const isPage = type.startsWith('text/html')
      return [name, createContent(isPage ? withHead(withNotice(text, notice), tag) : text, type)]
    }),
  )
}
