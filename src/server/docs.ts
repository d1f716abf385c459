import { Elysia } from 'elysia'
import { lazy } from '../async/lazy.ts'
import { fileResponse } from './fileResponse.ts'
import { pageHeaders } from './pages.ts'
import { type Content, contentResponse, createContent } from './plugins/content.ts'
import { UnknownPathError } from './plugins/paths.ts'
import { urlPath } from './url.ts'

const hidden = { detail: { hide: true } }

// The file name contains a hash of the content.
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

/** `GET /docs/…`: the documentation. It is rendered when the binary is built, or from source on the first request. */
export function createDocs(notice: string | null) {
  const load = lazy(() => loadFiles(notice))
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    const path = urlPath(request.url)
    const name = path.replace(/^\/docs\/?|\/$/g, '')
    const file = (await load()).get(name)
    if (file === undefined) throw new UnknownPathError(path)
    if (name.startsWith('assets/')) return fileResponse(request, file, ASSET_HEADERS)
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

const withNotice = (text: string, notice: string | null): string =>
  notice === null
    ? text
    : text.replace('<body>', () => `<body><aside class="server-notice">${Bun.escapeHTML(notice)}</aside>`)
