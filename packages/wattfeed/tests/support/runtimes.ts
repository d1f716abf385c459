import { join } from 'node:path'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { launchBrowser } from '@wattfeed/testing/browser'
import { createFolder } from '@wattfeed/testing/folder'
import { $ } from 'bun'

type Run = (...args: unknown[]) => Promise<unknown>

/** A program that uses bundled entries of the package, in three runtimes. Its input and output are JSON. */
export interface Runtimes extends AsyncDisposable {
  /** Origin of the program for Chromium, with the chain's answers at `/rpc`: `http://127.0.0.1:40123` */
  readonly origin: string
  readonly inBun: Run
  readonly inNode: Run
  readonly inChromium: Run
}

export interface Program {
  /** Folders of `src` that are bundled as the program's `./<entry>/index.js`. */
  entries: readonly string[]
  /** A module that exports `run`. */
  text: string
  /** Answers JSON-RPC requests. */
  answer?: AnswerRpc
}

/** Bundles the entries and a program, and serves them on loopback. */
export async function createRuntimes({ entries, text, answer }: Program): Promise<Runtimes> {
  const created = createFolder()
  const folder = created.path
  for (const entry of entries)
    await Bun.build({
      entrypoints: [join(import.meta.dir, `../../src/${entry}/index.ts`)],
      outdir: join(folder, entry),
      target: 'browser',
      format: 'esm',
      throw: true,
    })
  await Bun.write(join(folder, 'program.js'), text)
  await Bun.write(join(folder, 'package.json'), '{ "type": "module" }')
  const site = serve(folder, answer)
  return {
    origin: site.url.origin,
    inBun: async (...args) => (await import(join(folder, 'program.js'))).run(...args),
    inNode: (...args) => runInNode(folder, args),
    inChromium: (...args) => runInChromium(site.url.href, args),
    async [Symbol.asyncDispose]() {
      await site.stop(true)
      created[Symbol.dispose]()
    },
  }
}

function serve(folder: string, answer: Program['answer']) {
  const type = (text: string) => ({ headers: { 'content-type': text } })
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/') return new Response('<!doctype html><title>wattfeed</title>', type('text/html'))
      if (pathname === '/rpc' && answer)
        return localFetch(answer)(request.url, { body: await request.text() })
      const file = Bun.file(join(folder, pathname))
      return (await file.exists())
        ? new Response(file, type('text/javascript'))
        : new Response('', { status: 404 })
    },
  })
}

async function runInNode(folder: string, args: unknown[]): Promise<unknown> {
  await Bun.write(join(folder, 'args.json'), JSON.stringify(args))
  const main = `import { run } from './program.js'
import args from './args.json' with { type: 'json' }
console.log(JSON.stringify(await run(...args)))`
  await Bun.write(join(folder, 'main.js'), main)
  return $`node main.js`.cwd(folder).json()
}

async function runInChromium(href: string, args: unknown[]): Promise<unknown> {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(href)
    return await page.evaluate(async (args) => {
      const path = '/program.js'
      const { run } = await import(path)
      return run(...args)
    }, args)
  } finally {
    await browser.close()
  }
}
