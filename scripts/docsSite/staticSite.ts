import { posix } from 'node:path'
import type { BuiltFile } from '../../src/web/site/builtFile.ts'

/** The files of a site by their paths. */
export type SiteFiles = ReadonlyMap<string, string>

/** The page that hosts answer for an address that does not exist. */
export const MISSING_PAGE = '404.html'

const ICON = 'favicon.svg'

const missing = `<h1>No such page</h1>
<p>The address has no page. Use the search or the contents.</p>
`

/**
 * Turns what the server serves below `/docs` into files with relative links, which any host serves from any folder. The header has no
 * links to the other pages of a server.
 *
 * @param icon SVG
 * @param base - path of the site's folder on its host. Only the page of missing addresses has it in its links, because a host answers
 * that page at any address.
 */
export function staticSite(built: readonly BuiltFile[], icon: string, base: string): SiteFiles {
  const names = fileNames(built)
  /** Returns the link to an address of the server, from a file; others as they are. */
  const linkTo = (address: string, from: string): string => {
    const [path = '', fragment] = address.split('#')
    const file = fileOf(path, names)
    if (file === undefined) return address
    const link = from === MISSING_PAGE ? base + file : posix.relative(posix.dirname(from), file)
    return link + (fragment === undefined ? '' : `#${fragment}`)
  }
  const files = built.map(({ name, type, text }) => {
    const file = names.get(name) ?? name
    if (type.startsWith('text/html')) return [file, withLinks(text, (address) => linkTo(address, file))]
    if (type.startsWith('application/json')) return [file, withIds(text, (id) => linkTo(id, file))]
    return [file, text]
  }) satisfies [string, string][]
  const home = built.find(({ name }) => name === '')?.text ?? ''
  const missingPage = withLinks(withContent(home), (address) => linkTo(address, MISSING_PAGE))
  return new Map([...files, [MISSING_PAGE, missingPage], [ICON, icon]])
}

/** Returns the file of each page. Hosts and disks that ignore case must not mix up two names that differ in it alone. */
function fileNames(built: readonly BuiltFile[]): Map<string, string> {
  const taken = new Set<string>()
  const pages = built.map(({ name, type }) => {
    const stem = name === '' ? 'index' : name
    const path = taken.has(stem.toLowerCase()) ? `${stem}-2` : stem
    taken.add(path.toLowerCase())
    return [name, type.startsWith('text/html') ? `${path}.html` : name] as const
  })
  return new Map(pages)
}

function fileOf(path: string, names: ReadonlyMap<string, string>): string | undefined {
  // The name in the header leads to the feeds of a server, and here to the first page.
  if (path === '/' || path === '/docs') return names.get('')
  if (path === '/favicon.ico') return ICON
  return path.startsWith('/docs/') ? names.get(path.slice('/docs/'.length)) : undefined
}

function withLinks(html: string, linkTo: (address: string) => string): string {
  const rewriter = new HTMLRewriter().on('.header nav', { element: (nav) => void nav.remove() })
  for (const name of ['href', 'src', 'data-index'])
    rewriter.on(`[${name}]`, {
      element: (element) => void element.setAttribute(name, linkTo(element.getAttribute(name) ?? '')),
    })
  return rewriter.transform(html)
}

/** Changes the addresses of the search index, which are relative to it. */
function withIds(text: string, linkTo: (id: string) => string): string {
  const index: { documentIds: Record<string, string> } = JSON.parse(text)
  const ids = Object.entries(index.documentIds).map(([key, id]) => [key, linkTo(id)])
  return JSON.stringify({ ...index, documentIds: Object.fromEntries(ids) })
}

const withContent = (html: string): string =>
  new HTMLRewriter()
    .on('title', { element: (title) => void title.setInnerContent('No such page · wattfeed') })
    .on('main', { element: (main) => void main.setInnerContent(missing, { html: true }) })
    .on('[aria-current]', { element: (link) => void link.removeAttribute('aria-current') })
    .transform(html)
