/**
 * Compiles `catalog.tsv` and `descriptions.tsv` of `scripts/catalog` into `packages/eia/src/catalog/datasets.json`.
 *
 * `bun scripts/generateCatalog.ts [--check] [folder]`; a folder replaces both.
 * `--check` writes nothing and fails if `datasets.json` is outdated.
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatCatalog } from './catalog/formatCatalog.ts'
import { parseCatalog } from './catalog/parseCatalog.ts'

async function generate(folder: string): Promise<string> {
  const [catalog, descriptions] = await Promise.all([
    readFile(join(folder, 'catalog.tsv'), 'utf8'),
    readFile(join(folder, 'descriptions.tsv'), 'utf8'),
  ])
  return formatCatalog(parseCatalog({ catalog, descriptions }))
}

async function check(target: string, generated: string): Promise<void> {
  if (existsSync(target) && (await readFile(target, 'utf8')) === generated) return
  throw new Error(`${target} does not match its TSV files; run \`bun scripts/generateCatalog.ts\``)
}

try {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [folder] = positionals
  const target = join(
    folder ?? join(import.meta.dir, '..', 'packages', 'eia', 'src', 'catalog'),
    'datasets.json',
  )
  const generated = await generate(folder ?? join(import.meta.dir, 'catalog'))
  await (values.check ? check(target, generated) : writeFile(target, generated))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
