import type { BuiltFile } from '../../web/site/builtFile.ts'
import { type Content, createContent } from '../http/content.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import { pageHeaders, withNotice } from '../http/pages.ts'
import { ASSETS_PATH, findBuilt } from '../pages/builtAssets.ts'

/** The built explorer, as the server answers with it. */
export interface PageFiles {
  /** HTML of the page, the same for every path. */
  readonly page: string
  /** Returns the headers of the page at a path. */
  headersAt(path: string): AnswerHeaders
  readonly icon: Content
  readonly assets: ReadonlyMap<string, Content>
}

export async function loadPageFiles(notice: string | null): Promise<PageFiles> {
  const { explorerFiles } = await import('../pages/explorerFiles.ts')
  const page = findBuilt(explorerFiles, 'index.html')
  const icon = findBuilt(explorerFiles, 'favicon-')
  const assets = explorerFiles.filter((file) => file !== page)
  const links = new Map(pageKinds.map((kind) => [kind, formatLinks(kind, explorerFiles)]))
  return {
    page: withNotice(page.text, notice),
    headersAt(path) {
      const kind = kindOf(path)
      const link = kind === null ? undefined : links.get(kind)
      return link === undefined ? PAGE_HEADERS : { ...PAGE_HEADERS, link }
    },
    icon: createContent(icon.text, icon.type),
    assets: new Map(assets.map(({ name, type, text }) => [name, createContent(text, type)])),
  }
}

const PAGE_HEADERS = { ...pageHeaders, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' }

/** Scripts that each kind of page loads after the first one, by the start of their file names. */
const pageScripts = {
  feeds: [],
  feed: ['feedPage', 'plot'],
  datasets: ['datasetsPage'],
  calendar: ['calendarPage'],
  status: ['statusPage'],
  how: ['howPage'],
} as const satisfies Record<string, readonly string[]>
type PageKind = keyof typeof pageScripts

const pageKinds = Object.keys(pageScripts) as PageKind[]

/** Returns the kind of the page at a path: `feeds` at `/` and `/explorer`; null if the explorer has none there. */
function kindOf(path: string): PageKind | null {
  const [, name = '', rest = ''] = /^\/explorer\/([^/]+)\/?(.*)$/.exec(path) ?? ['', 'feeds']
  if (!Object.hasOwn(pageScripts, name)) return null
  return name === 'feeds' && rest !== '' ? 'feed' : (name as PageKind)
}

/**
 * Formats `Link` headers, so that the browser requests the files of a page before its first script runs. The only preloaded data
 * is the list, which that script requests at once. Browsers warn about preloads that are not used soon.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8288
 */
function formatLinks(kind: PageKind, files: readonly BuiltFile[]): string {
  if (kind === 'feeds') return '</v1/feeds>; rel=preload; as=fetch; crossorigin'
  return [...scriptPaths(files, pageScripts[kind])].map((path) => `<${path}>; rel=modulepreload`).join(', ')
}

/** Returns the paths of the files with these prefixes, and of their static imports. */
function scriptPaths(files: readonly BuiltFile[], prefixes: readonly string[]): Set<string> {
  const named = files.filter(({ name }) => prefixes.some((each) => name.startsWith(`${each}-`)))
  const imported = named.flatMap(({ text }) => [...text.matchAll(/from"(\/explorer\/assets\/[^"]+)"/g)])
  return new Set([...named.map(({ name }) => ASSETS_PATH + name), ...imported.map(([, path = '']) => path)])
}
