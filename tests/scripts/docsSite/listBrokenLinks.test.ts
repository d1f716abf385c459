import { describe, expect, test } from 'bun:test'
import { listBrokenLinks } from '../../../scripts/docsSite/listBrokenLinks.ts'

const whole = {
  'index.html':
    '<a href="library/a.html#part">a</a><a href="#here" id="here"></a><script src="assets/a.js"></script>',
  'library/a.html': '<h2 id="part"></h2><a href="../index.html">start</a><a href="https://a.example/b">b</a>',
  'assets/a.js': '',
  'assets/index.json': JSON.stringify({ documentIds: { 0: '../library/a.html#part' } }),
  '404.html': '<a href="/docs/index.html">start</a><a href="#main">content</a><main id="main"></main>',
}

const brokenWith = (changes: Record<string, string>) =>
  listBrokenLinks(new Map(Object.entries({ ...whole, ...changes })), '/docs/')

describe('listBrokenLinks', () => {
  test('default: none', () => {
    expect(brokenWith({})).toEqual([])
  })

  test.each([
    ['a page that is missing', 'index.html', '<a href="b.html"></a>', 'b.html'],
    ['a part that is missing', 'index.html', '<a href="library/a.html#other"></a>', 'library/a.html#other'],
    ['a part of the same page that is missing', 'index.html', '<a href="#other"></a>', '#other'],
    ['a script that is missing', 'index.html', '<script src="assets/b.js"></script>', 'assets/b.js'],
    [
      'an index that is missing',
      'index.html',
      '<search data-index="assets/b.json"></search>',
      'assets/b.json',
    ],
    [
      'a link out of the folder',
      'library/a.html',
      '<h2 id="part"></h2><a href="../../a.html"></a>',
      '../../a.html',
    ],
    [
      'a link that names the base',
      'index.html',
      '<a href="/docs/library/a.html"></a>',
      '/docs/library/a.html',
    ],
    [
      'a relative link of the page of missing addresses',
      '404.html',
      '<a href="index.html"></a>',
      'index.html',
    ],
    ['a link without the base', '404.html', '<a href="/index.html"></a>', '/index.html'],
    [
      'an address in the search index',
      'assets/index.json',
      JSON.stringify({ documentIds: { 0: '../library/a.html#gone' } }),
      '../library/a.html#gone',
    ],
  ])('error: %s', (_, file, text, link) => {
    expect(brokenWith({ [file]: text })).toEqual([`${file}: ${link}`])
  })
})
