import { Elysia } from 'elysia'
import { lazy } from '../../async/lazy.ts'
import type { BuiltFile } from '../../site/builtFile.ts'
import { VERIFIER_PATH } from '../../site/places.ts'
import { readPageHead, robotsHeaders, withHead } from '../discovery/pageHead.ts'
import { hidden } from '../http/apiDocs.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { fileResponse } from '../http/fileResponse.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { assetHeaders, headersOfSavedPage, pageHeaders, prefersPage, withNotice } from '../http/pages.ts'
import { UnknownPathError, urlPath } from '../http/paths.ts'
import type { Server } from '../server.ts'
import { apiIndexDocs, apiIndexOf } from './apiIndex.ts'

interface Files {
  /** HTML of the page, the same for every path. */
  page: string
  pageHeaders: ReadonlyMap<PageKind, AnswerHeaders>
  icon: Content
  assets: ReadonlyMap<string, Content>
}

const PAGE_HEADERS = { ...pageHeaders, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' }

/** Scripts that each kind of page loads after the first one, by the start of their file names. */
const pageFiles = {
  feeds: [],
  feed: ['feedPage', 'plot'],
  datasets: ['datasetsPage'],
  calendar: ['calendarPage'],
  status: ['statusPage'],
  how: ['howPage'],
} as const satisfies Record<string, readonly string[]>
type PageKind = keyof typeof pageFiles

function kindOf(path: string): PageKind | null {
  const [, name = '', rest = ''] = /^\/explorer\/([^/]+)\/?(.*)$/.exec(path) ?? ['', 'feeds']
  if (!Object.hasOwn(pageFiles, name)) return null
  return name === 'feeds' && rest !== '' ? 'feed' : (name as PageKind)
}

// Browsers request the icon with every response that they display, such as JSON.
const ICON_HEADERS = { 'cache-control': 'public, max-age=86400' }

/**
 * The pages, and the list of endpoints at the same address as the first page. All pages are the same file but for the head; its
 * script shows the page for the URL. The first request loads the files, and from source builds them.
 */
export function explorer(server: Server) {
  const load = lazy(() => loadFiles(server.notice))
  const index = apiIndexOf(server)
  const answerPage = async ({ request }: { request: Request }): Promise<Response> => {
    const path = urlPath(request.url)
    const [{ page, pageHeaders }, head] = await Promise.all([load(), readPageHead(server, path)])
    const kind = kindOf(path)
    const headers = (kind && pageHeaders.get(kind)) ?? PAGE_HEADERS
    const content = createContent(withHead(page, head), PAGE_TYPE)
    return contentResponse(request, content, { ...headers, ...robotsHeaders(head) })
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
      '/explorer/assets/:name',
      async ({ request }) => {
        const path = urlPath(request.url)
        const asset = (await load()).assets.get(path.slice(path.lastIndexOf('/') + 1))
        if (asset === undefined) throw new UnknownPathError({ path })
        return fileResponse(request, asset, assetHeaders)
      },
      hidden,
    )
}

/** The page that checks proofs offline. It is an attachment, because only a saved copy is independent of this server. */
async function answerVerifier(request: Request): Promise<Response> {
  const { content, headers } = await loadVerifier()
  return fileResponse(request, content, headers)
}

const loadVerifier = lazy(async () => {
  const { verifierFile } = await import('../../site/verifierFile.ts')
  return {
    content: createContent(verifierFile, 'text/html'),
    headers: {
      ...headersOfSavedPage(verifierFile),
      'cache-control': 'no-cache',
      'content-disposition': 'attachment; filename="wattfeed-verifier.html"',
    },
  }
})

const PAGE = 'index.html'
const PAGE_TYPE = 'text/html;charset=utf-8'

async function loadFiles(notice: string | null): Promise<Files> {
  const { explorerFiles } = await import('./explorerFiles.ts')
  const named = (isNamed: (name: string) => boolean): BuiltFile => {
    const found = explorerFiles.find(({ name }) => isNamed(name))
    if (found === undefined) throw new Error('the explorer build lacks its page or icon; build it again')
    return found
  }
  const page = named((name) => name === PAGE)
  const icon = named((name) => name.startsWith('favicon-'))
  const assets = explorerFiles.filter((file) => file !== page)
  const headers = Object.entries(pageFiles).map(
    ([kind, names]) =>
      [
        kind as PageKind,
        { ...PAGE_HEADERS, link: formatLinks(kind as PageKind, pathsOf(explorerFiles, names)) },
      ] as const,
  )
  return {
    page: withNotice(page.text, notice),
    icon: createContent(icon.text, icon.type),
    assets: new Map(assets.map(({ name, type, text }) => [name, createContent(text, type)])),
    pageHeaders: new Map(headers),
  }
}

/** Returns the paths of the files with these prefixes, and of their static imports. */
function pathsOf(files: readonly BuiltFile[], prefixes: readonly string[]): Set<string> {
  const named = files.filter(({ name }) => prefixes.some((each) => name.startsWith(`${each}-`)))
  const imported = named.flatMap(({ text }) => [...text.matchAll(/from"(\/explorer\/assets\/[^"]+)"/g)])
  return new Set([
    ...named.map(({ name }) => `/explorer/assets/${name}`),
    ...imported.map(([, path = '']) => path),
  ])
}

/**
 * Formats `Link` headers, so that the browser requests the files of a page before its first script runs. The only preloaded data
 * is the list, which that script requests at once. Browsers warn about preloads that are not used soon.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8288
 */
function formatLinks(kind: PageKind, paths: ReadonlySet<string>): string {
  if (kind === 'feeds') return '</v1/feeds>; rel=preload; as=fetch; crossorigin'
  return [...paths].map((path) => `<${path}>; rel=modulepreload`).join(', ')
}
