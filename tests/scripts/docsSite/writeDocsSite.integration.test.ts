import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { docsFiles } from '../../../src/web/docs/docsFiles.ts'
import { type Ended, runToEnd } from '../../support/program.ts'
import { openPage } from '../../web/explorer/support/openPage.ts'

const root = join(import.meta.dir, '../../..')
const HOST = '127.0.0.1'
const BASE = '/some/where/'

let folder: Folder
let out: string
let ended: Ended
let server: ReturnType<typeof serve>
let site: string

const write = (...args: string[]): Promise<Ended> =>
  runToEnd([process.execPath, 'scripts/writeDocsSite.ts', ...args], {}, root)

/** Serves the folder below the base, like a host that knows nothing of it. */
const serve = () =>
  Bun.serve({
    port: 0,
    hostname: HOST,
    async fetch({ url }) {
      const { pathname } = new URL(url)
      const name = pathname.slice(BASE.length) || 'index.html'
      const file = Bun.file(join(out, name))
      if (pathname.startsWith(BASE) && (await file.exists())) return new Response(file)
      return new Response(Bun.file(join(out, '404.html')), { status: 404 })
    },
  })

beforeAll(async () => {
  folder = createFolder()
  out = join(folder.path, 'docs')
  ended = await write('--out', out, '--base', BASE)
  server = serve()
  site = `http://${HOST}:${server.port}${BASE}`
})
afterAll(async () => {
  await server?.stop(true)
  folder[Symbol.dispose]()
})

/** Requests each link of each page, beginning with one. Returns the bodies, and each link that has no answer or no such part. */
async function crawl(start: string) {
  const bodies = new Map<string, string>()
  const parts: { from: string; link: URL }[] = []
  const missing: string[] = []
  const queue = [new URL(start)]
  for (const url of queue) {
    if (bodies.has(url.pathname)) continue
    const response = await fetch(url)
    if (!response.ok) missing.push(url.href)
    const text = await response.text()
    bodies.set(url.pathname, text)
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue
    for (const [, link = ''] of text.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)) {
      const next = new URL(link, url)
      if (next.origin !== url.origin) continue
      queue.push(next)
      parts.push({ from: url.pathname, link: next })
    }
  }
  const broken = parts.filter(
    ({ link }) => link.hash !== '' && !bodies.get(link.pathname)?.includes(` id="${link.hash.slice(1)}"`),
  )
  return { bodies, missing, broken: broken.map(({ from, link }) => `${from}: ${link.href}`) }
}

describe('docs:site', () => {
  test('default: says what it wrote and how to look at it', () => {
    expect(ended).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `${docsFiles.length + 2} files, with no broken link
Wrote ${out}. Open ${join(out, 'index.html')}; the search needs a web server, such as:
python3 -m http.server --directory ${out}
`,
    })
  })

  test('default: below any path, each link leads to a file, and to a part of it', async () => {
    const { bodies, missing, broken } = await crawl(site)
    expect({ missing, broken }).toEqual({ missing: [], broken: [] })
    const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.html'),
    )
    const found = [...bodies.keys()].map((path) => path.slice(BASE.length))
    expect(pages.filter((name) => !found.includes(name))).toEqual(['404.html'])
  })

  test('default: has the text of each page that a server has', async () => {
    const errors = docsFiles.find(({ name }) => name === 'errors')?.text ?? ''
    const [, row = 'none'] = /(<tr id="feed_not_found">.*?<\/td>)/s.exec(errors) ?? []
    expect(await (await fetch(`${site}errors.html`)).text()).toContain(row)
  })

  test('behavior: the page of a missing address leads back, from any depth', async () => {
    const { missing, bodies } = await crawl(site)
    expect(missing).toEqual([])
    const response = await fetch(`${site}a/b/c`)
    const [, home = ''] = /class="brand" href="([^"]*)"/.exec(await response.text()) ?? []
    expect(response.status).toBe(404)
    expect(bodies.has(new URL(home, site).pathname)).toBe(true)
  })

  test('behavior: a second run replaces the first', async () => {
    using other = createFolder()
    const again = join(other.path, 'docs')
    expect((await write('--out', again)).exitCode).toBe(0)
    await Bun.write(join(again, 'old.html'), '')
    expect((await write('--out', again)).exitCode).toBe(0)
    expect(readdirSync(again)).not.toContain('old.html')
  })

  test('error: a folder with other files, and a base that is not a path', async () => {
    using other = createFolder()
    other.write('mine.txt', '')
    expect(await write('--out', other.path)).toMatchObject({
      exitCode: 1,
      stderr: `docs:site: ${other.path} has files that this command did not write: remove them, or name another folder with --out\n`,
    })
    expect(readdirSync(other.path)).toEqual(['mine.txt'])
    expect(await write('--base', 'wattfeed')).toMatchObject({
      exitCode: 1,
      stderr:
        'docs:site: --base "wattfeed" is not a path that starts and ends with a slash, such as /wattfeed/\n',
    })
  })
})

describe.skipIf(!hasBrowser)('the site in Chromium', () => {
  test.each(['library/wattfeed/Reads.html', 'not/there'])(
    'default: the search of %s leads to a section',
    async (path) => {
      await using opened = await openPage(site + path)
      const { page } = opened
      await page.getByRole('combobox', { name: 'Search the documentation' }).fill('feed_not_found')
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`${site}errors.html#feed_not_found`)
      await page.locator('tr:target').waitFor()
      expect(opened.foreign).toEqual([])
    },
  )
})
