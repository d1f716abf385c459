import { MISSING_PAGE, type SiteFiles } from './staticSite.ts'

const HOST = 'http://site.invalid'

/**
 * Lists the links of a site that lead to no file, to no part of a page, or out of its folder, each with the file that has it.
 *
 * @param base - path of the site's folder on its host, for the page of missing addresses
 */
export function listBrokenLinks(files: SiteFiles, base: string): string[] {
  const pages = new Map([...files].filter(([name]) => name.endsWith('.html')).map(readPage))
  return [...linksOf(files, pages)].flatMap(([file, link]) => {
    const url = new URL(link, `${HOST}${base}${file}`)
    if (url.origin !== HOST) return []
    const target = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : ''
    // The missing page may have any address, and the others do not know the path of their folder.
    const isRight = link.startsWith('#') || link.startsWith('/') === (file === MISSING_PAGE)
    const part = decodeURIComponent(url.hash.slice(1))
    const hasPart = part === '' || pages.get(target)?.ids.has(part) === true
    return isRight && files.has(target) && hasPart ? [] : [`${file}: ${link}`]
  })
}

interface Page {
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
}

function readPage([name, html]: [string, string]): [string, Page] {
  const ids = new Set<string>()
  const links: string[] = []
  const rewriter = new HTMLRewriter().on('[id]', {
    element: (element) => void ids.add(element.getAttribute('id') ?? ''),
  })
  for (const attribute of ['href', 'src', 'data-index'])
    rewriter.on(`[${attribute}]`, {
      element: (element) => void links.push(element.getAttribute(attribute) ?? ''),
    })
  rewriter.transform(html)
  return [name, { ids, links }]
}

function* linksOf(files: SiteFiles, pages: ReadonlyMap<string, Page>): Generator<[string, string]> {
  for (const [file, { links }] of pages) for (const link of links) yield [file, link]
  for (const [file, text] of files) {
    if (!file.endsWith('.json')) continue
    const { documentIds }: { documentIds: Record<string, string> } = JSON.parse(text)
    for (const link of Object.values(documentIds)) yield [file, link]
  }
}
