import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '@wattfeed/testing/browser'
import { createFolder } from '@wattfeed/testing/folder'
import type { Page } from 'playwright-core'
import { runToEnd } from '../support/program.ts'
import { toolsFolder } from './otherPrograms.ts'

/** Where notebooks load Plot from. */
const PLOT_ADDRESS = 'https://cdn.jsdelivr.net/npm/@observablehq/plot/+esm'

/** Builds a notebook of these cells with Notebook Kit, opens it in a browser, and reads the page. */
export async function readNotebook<T>(
  cells: readonly string[],
  read: (page: Page) => Promise<T>,
): Promise<T> {
  using folder = createFolder()
  symlinkSync(join(toolsFolder, 'node_modules'), join(folder.path, 'node_modules'))
  const scripts = cells.map((cell, index) => `<script id="${index + 1}" type="module">\n${cell}</script>`)
  const file = folder.write('notebook.html', `<!doctype html><notebook>${scripts.join('\n')}</notebook>`)
  const command = join(toolsFolder, 'node_modules/@observablehq/notebook-kit/dist/bin/notebooks.js')
  const build = [
    'node',
    command,
    'build',
    '--root',
    folder.path,
    '--out',
    join(folder.path, 'out'),
    '--',
    file,
  ]
  const { exitCode, stderr } = await runToEnd(build, { PATH: process.env.PATH ?? '' }, folder.path)
  if (exitCode !== 0) throw new Error(`notebooks build ended with ${exitCode}: ${stderr}`)
  await using site = serveFolder(join(folder.path, 'out'))
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const plot = await bundlePlot()
    await page.route(/^https:/, (route) =>
      route.request().url() === PLOT_ADDRESS
        ? route.fulfill({
            contentType: 'text/javascript',
            headers: { 'access-control-allow-origin': '*' },
            body: plot,
          })
        : route.abort(),
    )
    await page.goto(`${site.url}notebook.html`)
    return await read(page)
  } finally {
    await browser.close()
  }
}

function serveFolder(folder: string): { url: URL } & AsyncDisposable {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => new Response(Bun.file(join(folder, new URL(url).pathname))),
  })
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function bundlePlot(): Promise<string> {
  const entry = Bun.resolveSync('@observablehq/plot', toolsFolder)
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true })
  return (await outputs[0]?.text()) ?? ''
}
