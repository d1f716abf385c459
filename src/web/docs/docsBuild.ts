import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { type BuiltFile, bundleForBrowsers, runBuild } from '../site/builtFile.ts'
import { listContents } from './contents.ts'
import { docsPage } from './docsPage.ts'
import { libraryPages, pageOfSource } from './library.ts'
import { renderMarkdown } from './renderMarkdown.ts'
import { type SearchEntry, searchOptions } from './searchOptions.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Pages outside of `docs/`, with their names. */
const others: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
}

const README = 'docs/README.md'

/** Of the library's pages. Headings of other levels, such as "Parameters", are on each of them, so that the search leaves them out. */
const LIBRARY_LEVELS = '13'

/** Returns the Markdown file of each page, with the page's path below `/docs`. */
function listPages(): Map<string, string> {
  const files = readdirSync(join(root, 'docs'))
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => [`docs/${path}`, path === 'README.md' ? '' : path.slice(0, -'.md'.length)] as const)
  return new Map([...files, ...Object.entries(others)])
}

const addressOfName = (name: string): string => (name === '' ? '/docs' : `/docs/${name}`)

async function build(): Promise<BuiltFile[]> {
  const pages = listPages()
  const addressOf = (file: string): string | null => {
    const name = pages.get(file)
    return name === undefined ? pageOfSource(file) : addressOfName(name)
  }
  const written = [...pages].map(([file, name]) => ({
    name,
    ...renderMarkdown(file, readFileSync(join(root, file), 'utf8'), addressOf),
  }))
  const library = libraryPages(root).map(({ name, text }) => ({
    name,
    ...renderMarkdown(`docs/${name}.md`, text, addressOf, LIBRARY_LEVELS),
  }))
  const rendered = [...written, ...library]
  const contents = listContents(readFileSync(join(root, README), 'utf8'), (file) => addressOf(`docs/${file}`))
  const assets = await bundleAssets()
  const index = indexFile(rendered.map((page) => ({ ...page, address: addressOfName(page.name) })))
  const assetUrl = (extension: string): string => {
    const asset = assets.find(({ name }) => name.endsWith(extension))
    if (asset === undefined) throw new Error(`the bundle has no ${extension}`)
    return `/docs/${asset.name}`
  }
  const htmlPages = rendered.map(({ name, title, html }) => ({
    name,
    type: 'text/html;charset=utf-8',
    text: docsPage({
      address: addressOfName(name),
      title,
      html,
      contents,
      style: assetUrl('.css'),
      script: assetUrl('.js'),
      index: `/docs/${index.name}`,
    }),
  }))
  return [...htmlPages, ...assets, index]
}

/** Creates the search index of all sections. */
function indexFile(
  pages: readonly {
    address: string
    title: string
    sections: readonly { id: string; title: string; text: string }[]
  }[],
): BuiltFile {
  const entries = pages.flatMap(({ address, title: page, sections }) =>
    sections.map(({ id, title, text }): SearchEntry => ({ id: `${address}#${id}`, title, page, text })),
  )
  const search = new MiniSearch<SearchEntry>(searchOptions)
  search.addAll(entries)
  const text = JSON.stringify(search)
  return { name: `assets/index-${Bun.hash(text).toString(36)}.json`, type: 'application/json', text }
}

async function bundleAssets(): Promise<BuiltFile[]> {
  const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
  const files = await bundleForBrowsers({
    entrypoints: [source('search.ts'), source('docs.css')],
    naming: '[name]-[hash].[ext]',
  })
  return files.map((file) => ({ ...file, name: `assets/${file.name}` }))
}

/** Renders the documentation. Import it as a macro, so that a binary contains the result. Each name is a path below `/docs`. */
export const buildDocs = (): BuiltFile[] => runBuild(fileURLToPath(import.meta.url), root)

if (import.meta.main) console.log(JSON.stringify(await build()))
