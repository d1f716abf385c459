import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { docsFiles } from '../../../src/web/docs/docsFiles.ts'
import { renderMarkdown } from '../../../src/web/docs/renderMarkdown.ts'

const root = join(import.meta.dir, '../../..')
const pages = docsFiles.filter(({ type }) => type.startsWith('text/html'))
const addressOf = (name: string): string => (name === '' ? '/docs' : `/docs/${name}`)

/** The addresses of all pages, with those of their parts. */
const addresses = new Set(
  pages.flatMap(({ name, text }) => {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${addressOf(name)}#${id}`)
    return [addressOf(name), ...ids]
  }),
)

/** What the server has besides the documentation. */
const isElsewhere = (address: string): boolean =>
  /^(?:https?:|mailto:)/.test(address) || /^\/(?:$|explorer|openapi|favicon)/.test(address)

describe.each(pages.map(({ name, text }) => [addressOf(name), text] as const))('%s', (address, text) => {
  test('behavior: every link leads to a page or a part of one', () => {
    const links = [...text.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) =>
      href.startsWith('#') ? address + href : href,
    )
    const broken = links.filter(
      (link) => !isElsewhere(link) && !link.startsWith('/docs/assets/') && !addresses.has(link),
    )
    expect(broken).toEqual([])
  })

  test('behavior: files that it names without a page are in the repository', () => {
    const files = [...text.matchAll(/\(<code>([^<]+)<\/code>\)/g)].map(([, file = '']) => file)
    const paths = files.filter((file) => file.includes('/') && !/[<>{} ]/.test(file))
    expect(paths.filter((path) => path.startsWith('docs/') && !existsSync(join(root, path)))).toEqual([])
  })

  test('behavior: each id occurs once', () => {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  test('behavior: a first view takes at most 60 kB', () => {
    const assets = docsFiles.filter(({ name }) => /^assets\/.*\.(?:js|css)$/.test(name))
    const bytes = [text, ...assets.map((asset) => asset.text)].map((each) => Bun.gzipSync(each).length)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(60_000)
  })
})

describe('the contents', () => {
  const [, contents = ''] = /<nav id="contents"[^>]*>(.*?)<\/nav>/s.exec(pages[0]?.text ?? '') ?? []
  const kinds = [...contents.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, kind]) => kind)

  test('default: have the four parts', () => {
    expect(kinds).toEqual(['Start', 'Operate', 'Verify', 'Reference'])
  })

  test('behavior: name each page by its title', () => {
    const links = [...contents.matchAll(/href="\/docs\/([^"]+)"[^>]*>([^<]+)</g)].map(([, name, label]) => [
      name,
      label,
    ])
    const titles = pages.map(({ name, text }) => [name, /<title>(.*) · wattfeed</.exec(text)?.[1]])
    expect(links).toEqual(links.map(([name]) => titles.find(([own]) => own === name) ?? []))
  })

  test('default: list each page of docs/ once', () => {
    const listed = [...contents.matchAll(/href="\/docs\/([^"]+)"/g)].map(([, name = '']) => name)
    const own = pages
      .map(({ name }) => name)
      .filter((name) => name !== '' && existsSync(join(root, `docs/${name}.md`)))
    expect(listed.toSorted()).toEqual(own.toSorted())
  })
})

describe('renderMarkdown', () => {
  const addressOf = (file: string) => (file === 'docs/b.md' ? '/docs/b' : null)
  const render = (text: string) => renderMarkdown('docs/a.md', text, addressOf).html.trim()

  test.each([
    ['[b](b.md#c)', '<p><a href="/docs/b#c">b</a></p>'],
    ['[b](../x/y.ts)', '<p>b (<code>x/y.ts</code>)</p>'],
    ['[b](#c)', '<p><a href="#c">b</a></p>'],
    ['[b](https://a.example)', '<p><a href="https://a.example">b</a></p>'],
    ['## A `b` c', '<h2 id="a-b-c">A <code>b</code> c</h2>'],
  ])('default: %s', (text, html) => {
    expect(render(text)).toBe(html)
  })

  test('default: a row has the code of its first cell as its id', () => {
    expect(render('| a |\n| --- |\n| `feed_not_found` |')).toContain('<tr id="feed_not_found">')
  })

  test('behavior: an empty cell of a table head is not a heading', () => {
    expect(render('| | b |\n| --- | --- |\n| a | 1 |')).toContain('<tr>\n<td></td>\n<th>b</th>\n</tr>')
  })

  test('default: a linkable row is a section for the search', () => {
    const { sections } = renderMarkdown('docs/a.md', '# A\n\n| a |\n| --- |\n| `feed_not_found` |', addressOf)
    expect(sections[1]).toEqual({ id: 'feed_not_found', title: 'feed_not_found', text: '' })
  })

  test('behavior: headings of other levels belong to the section above, for the search', () => {
    const { sections } = renderMarkdown('docs/a.md', '# A\n\n## Methods\n\n### B\n\nc', addressOf, '13')
    expect(sections).toEqual([
      { id: 'a', title: 'A', text: 'Methods' },
      { id: 'b', title: 'B', text: 'c' },
    ])
  })

  test('behavior: sections are plain text, for the search', () => {
    const { sections } = renderMarkdown(
      'docs/a.md',
      '# An operator\'s `<a>` & "b"\n\nIt\'s 1 < 2.',
      addressOf,
    )
    expect(sections).toEqual([
      { id: 'an-operators-a--b', title: 'An operator\'s <a> & "b"', text: "It's 1 < 2." },
    ])
  })

  test('default: sections hold the text below a heading, for the search', () => {
    const { title, sections } = renderMarkdown('docs/a.md', '# A\n\nb `c`\n\n## D\n\ne', addressOf)
    expect([title, sections]).toEqual([
      'A',
      [
        { id: 'a', title: 'A', text: 'b c' },
        { id: 'd', title: 'D', text: 'e' },
      ],
    ])
  })
})
