import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'

export interface RenderedPage {
  /** Text of the first heading. */
  title: string
  /** The body, as HTML. */
  html: string
  /** For the search: every heading of the given levels with the text below it, and every linkable row of a table. */
  sections: { id: string; title: string; text: string }[]
}

/** Returns the address of a file of the repository; null if it is not a page. */
type AddressOf = (file: string) => string | null

const escaped: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => escaped[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim()

/**
 * Renders a Markdown file with GitHub's heading ids, so that the same link works on GitHub and here.
 * Links between files become links between pages. A link to a file that is not a page becomes the name of the file.
 *
 * @param file - path in the repository, to which links are relative
 * @param levels - the levels of the headings that begin a section, as digits
 */
export function renderMarkdown(
  file: string,
  text: string,
  addressOf: AddressOf,
  levels = '1-4',
): RenderedPage {
  const marked = new Marked({ gfm: true }).use(gfmHeadingId()).use({
    renderer: {
      link({ href, tokens }: Tokens.Link): string {
        const label = this.parser.parseInline(tokens)
        const address = resolveLink(file, href, addressOf)
        if (address === null) return `${label} (<code>${posix.join(posix.dirname(file), href)}</code>)`
        return `<a href="${Bun.escapeHTML(address)}">${label}</a>`
      },
      // Wide code and tables scroll, so they must be reachable by keyboard.
      code({ text: code, lang }: Tokens.Code): string {
        return `<pre tabindex="0"><code${lang ? ` class="language-${Bun.escapeHTML(lang)}"` : ''}>${Bun.escapeHTML(code)}</code></pre>\n`
      },
    },
  })
  const html = addRowIds(marked.parse(text, { async: false }))
    // A heading without text confuses screen readers.
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<table>', '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
  const headings = getHeadingList()
  return { title: headings[0]?.raw ?? file, html, sections: splitSections(html, levels) }
}

function resolveLink(file: string, href: string, addressOf: AddressOf): string | null {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [path = '', fragment] = href.split('#')
  const address = addressOf(posix.join(posix.dirname(file), path))
  return address === null ? null : address + (fragment === undefined ? '' : `#${fragment}`)
}

/** Adds an id to each table row whose first cell is a code, for links such as `/docs/errors#feed_not_found`. */
function addRowIds(html: string): string {
  const taken = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  return html.replaceAll(/<tr>\n<td><code>([A-Za-z_][\w-]*)<\/code>/g, (row, id: string) => {
    if (taken.has(id)) return row
    taken.add(id)
    return row.replace('<tr>', `<tr id="${id}">`)
  })
}

/** Splits a page before headings, and lists the linkable rows. Their text belongs to the section of the heading. */
function splitSections(html: string, levels: string): RenderedPage['sections'] {
  const rows = [...html.matchAll(/<tr id="([^"]+)">/g)].map(([, id = '']) => ({ id, title: id, text: '' }))
  const sections = html
    .split(new RegExp(`(?=<h[${levels}] id=)`))
    .map((part) => {
      const [, id, title] = /^<h\d id="([^"]+)">(.*?)<\/h\d>/s.exec(part) ?? []
      return id === undefined || title === undefined
        ? null
        : { id, title: textOf(title), text: textOf(part.slice(part.indexOf('</h') + '</h1>'.length)) }
    })
    .filter((section) => section !== null)
  return [...sections, ...rows]
}
