import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { listContents } from './contents.ts'
import { docsPage } from './docsPage.ts'
import { renderMarkdown } from './renderMarkdown.ts'
import { type SearchEntry, searchOptions } from './searchOptions.ts'

/** A file of the documentation, as browsers get it. */
export interface DocsFile {
  /** Below `/docs`: an empty text for the first page, `errors`, `assets/search-8fk2x0s1.js`. */
  name: string
  /** The media type. */
  type: string
  text: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Files outside `docs/` that are pages, too. */
const others: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
}

const INDEX = 'docs/README.md'

/** Every Markdown file that is a page, and the page's name below `/docs`. */
function listPages(): Map<string, string> {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => [`docs/${path}`, path === 'README.md' ? '' : path.slice(0, -'.md'.length)] as const)
  return new Map([...files, ...Object.entries(others)])
}

const addressOfName = (name: string): string => (name === '' ? '/docs' : `/docs/${name}`)

async function build(): Promise<DocsFile[]> {
  const pages = listPages()
  const addressOf = (file: string): string | null => {
    const name = pages.get(file)
    return name === undefined ? null : addressOfName(name)
  }
  const rendered = [...pages].map(([file, name]) => ({
    name,
    ...renderMarkdown(file, readFileSync(join(root, file), 'utf8'), addressOf),
  }))
  const contents = listContents(readFileSync(join(root, INDEX), 'utf8'), (file) => addressOf(`docs/${file}`))
  const assets = await bundleAssets()
  const index = indexFile(rendered.map((page) => ({ ...page, address: addressOfName(page.name) })))
  const named = (extension: string) => assets.find(({ name }) => name.endsWith(extension))?.name ?? ''
  const htmlPages = rendered.map(({ name, title, html }) => ({
    name,
    type: 'text/html;charset=utf-8',
    text: docsPage({
      address: addressOfName(name),
      title,
      html,
      contents,
      style: `/docs/${named('.css')}`,
      script: `/docs/${named('.js')}`,
      index: `/docs/${index.name}`,
    }),
  }))
  return [...htmlPages, ...assets, index]
}

/** The sections of all pages, by their words. */
function indexFile(
  pages: readonly {
    address: string
    title: string
    sections: readonly { id: string; title: string; text: string }[]
  }[],
): DocsFile {
  const entries = pages.flatMap(({ address, title: page, sections }) =>
    sections.map(({ id, title, text }): SearchEntry => ({ id: `${address}#${id}`, title, page, text })),
  )
  const search = new MiniSearch<SearchEntry>(searchOptions)
  search.addAll(entries)
  const text = JSON.stringify(search)
  return { name: `assets/index-${Bun.hash(text).toString(36)}.json`, type: 'application/json', text }
}

async function bundleAssets(): Promise<DocsFile[]> {
  const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
  const { outputs } = await Bun.build({
    entrypoints: [source('search.ts'), source('docs.css')],
    naming: '[name]-[hash].[ext]',
    target: 'browser',
    minify: true,
    throw: true,
  })
  return Promise.all(
    outputs.map(async (file) => ({
      name: `assets/${file.path.replace(/^\.?\//, '')}`,
      type: file.type,
      text: await file.text(),
    })),
  )
}

/**
 * Renders the documentation; imported as a macro, so that a binary holds the result.
 *
 * In a process of its own, because a bundler cannot wait for itself.
 */
export function buildDocs(): DocsFile[] {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, fileURLToPath(import.meta.url)], {
    cwd: root,
    env: { NODE_ENV: 'production' },
  })
  if (!success) throw new Error(`the documentation does not build: ${stderr}`)
  return JSON.parse(stdout.toString())
}

if (import.meta.main) console.log(JSON.stringify(await build()))
