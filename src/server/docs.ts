import { Elysia } from 'elysia'
import { lazy } from '../async/lazy.ts'
import { fileResponse } from './fileResponse.ts'
import { assetHeaders, pageHeaders, withNotice } from './pages.ts'
import { type Content, contentResponse, createContent } from './plugins/content.ts'
import { UnknownPathError } from './plugins/paths.ts'
import { urlPath } from './url.ts'

const hidden = { detail: { hide: true } }

/** `GET /docs/…`: the documentation. It is rendered when the binary is built, or from source on the first request. */
export function createDocs(notice: string | null) {
  const load = lazy(() => loadFiles(notice))
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    const path = urlPath(request.url)
    const name = path.replace(/^\/docs\/?|\/$/g, '')
    const file = (await load()).get(name)
    if (file === undefined) throw new UnknownPathError(path)
    if (name.startsWith('assets/')) return fileResponse(request, file, assetHeaders)
    return contentResponse(request, file, { ...pageHeaders, 'cache-control': 'no-cache' })
  }
  return new Elysia({ name: 'docs' }).get('/docs', answer, hidden).get('/docs/*', answer, hidden)
}

async function loadFiles(notice: string | null): Promise<ReadonlyMap<string, Content>> {
  const { docsFiles } = await import('../docs/docsFiles.ts')
  return new Map(
    docsFiles.map(({ name, type, text }) => [name, createContent(withNotice(text, notice), type)]),
  )
}
