import { describe, expect, test } from 'bun:test'
import { staticSite } from '../../../scripts/docsSite/staticSite.ts'

const page = (name: string, content: string) => ({
  name,
  type: 'text/html;charset=utf-8',
  text: `<html><head><title>A page</title><link rel="icon" href="/favicon.ico"><script src="/docs/assets/search.js"></script></head>
<body><header class="header"><a class="brand" href="/">wattfeed</a><nav><a href="/explorer/how">How</a></nav></header>
<search data-index="/docs/assets/index.json"></search><main>${content}</main>
<nav id="contents"><a href="/docs/errors" aria-current="page">Errors</a></nav></body></html>`,
})

const index = {
  name: 'assets/index.json',
  type: 'application/json',
  text: JSON.stringify({ documentIds: { 0: '/docs/errors#a', 1: '/docs#b' }, fieldIds: { title: 0 } }),
}

const built = [
  page('', '<a href="/docs/library/wattfeed/Reads#get">Reads</a> <a href="https://a.example/docs">other</a>'),
  page('errors', '<a href="#a">a</a>'),
  page('library/wattfeed/Reads', '<a href="/docs">Start</a> <a href="/docs/errors#a">a</a>'),
  { name: 'assets/search.js', type: 'text/javascript', text: 'search' },
  index,
]

/** The links of a file, in their order. */
const linksOf = (text = ''): string[] =>
  [...text.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)].map(([, link = '']) => link)

describe('staticSite', () => {
  const files = staticSite(built, '<svg/>', '/')

  test('default: a file for each page and asset, the icon, and the page of missing addresses', () => {
    expect([...files.keys()]).toEqual([
      'index.html',
      'errors.html',
      'library/wattfeed/Reads.html',
      'assets/search.js',
      'assets/index.json',
      '404.html',
      'favicon.svg',
    ])
    expect(files.get('assets/search.js')).toBe('search')
    expect(files.get('favicon.svg')).toBe('<svg/>')
  })

  test('default: links are relative to the file, and the header has none to the pages of a server', () => {
    expect(linksOf(files.get('library/wattfeed/Reads.html'))).toEqual([
      '../../favicon.svg',
      '../../assets/search.js',
      '../../index.html',
      '../../assets/index.json',
      '../../index.html',
      '../../errors.html#a',
      '../../errors.html',
    ])
  })

  test('behavior: links to other sites and to parts of the same page stay', () => {
    expect(linksOf(files.get('index.html')).slice(4, 6)).toEqual([
      'library/wattfeed/Reads.html#get',
      'https://a.example/docs',
    ])
    expect(linksOf(files.get('errors.html'))).toContain('#a')
  })

  test('default: the addresses of the search index are relative to it', () => {
    expect(JSON.parse(files.get('assets/index.json') ?? '')).toEqual({
      documentIds: { 0: '../errors.html#a', 1: '../index.html#b' },
      fieldIds: { title: 0 },
    })
  })

  test('behavior: the page of missing addresses has absolute links, below the base', () => {
    const missing = staticSite(built, '<svg/>', '/wattfeed/').get('404.html') ?? ''
    expect(missing).toContain('<title>No such page · wattfeed</title>')
    expect(missing).toContain('<h1>No such page</h1>')
    expect(missing).not.toContain('aria-current')
    expect(linksOf(missing)).toEqual([
      '/wattfeed/favicon.svg',
      '/wattfeed/assets/search.js',
      '/wattfeed/index.html',
      '/wattfeed/assets/index.json',
      '/wattfeed/errors.html',
    ])
  })

  test('behavior: two names that differ in case alone are two files on every disk', () => {
    const twins = staticSite(
      [page('', '<a href="/docs/recheck">r</a>'), page('Recheck', ''), page('recheck', '')],
      '',
      '/',
    )
    const names = [...twins.keys()].map((name) => name.toLowerCase())
    expect(names).toEqual([...new Set(names)])
    expect(linksOf(twins.get('index.html'))).toContain('recheck-2.html')
  })
})
