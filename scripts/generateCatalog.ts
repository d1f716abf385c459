/**
 * Compiles `catalog.tsv` and `descriptions.tsv` of a folder into its `datasets.json`.
 *
 * `bun scripts/generateCatalog.ts [--check] [folder]`; the default is `src/catalog`.
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
  throw new Error(`${target} is not what its TSV files say; run \`bun scripts/generateCatalog.ts\``)
}

try {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [folder = join(import.meta.dir, '..', 'src', 'catalog')] = positionals
  const target = join(folder, 'datasets.json')
  const generated = await generate(folder)
  await (values.check ? check(target, generated) : writeFile(target, generated))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
