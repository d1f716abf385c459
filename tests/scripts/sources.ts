import { join } from 'node:path'
import { CatalogError, parseCatalog } from '../../scripts/catalog/parseCatalog.ts'

export const folder = join(import.meta.dir, '..', '..', 'scripts', 'catalog')

/** The file that is generated from them. */
export const datasetsFile = join(
  import.meta.dir,
  '..',
  '..',
  'packages',
  'eia',
  'src',
  'catalog',
  'datasets.json',
)

/** The repository's own source files: every test breaks a copy of them in one place. */
export const sources = {
  catalog: await Bun.file(join(folder, 'catalog.tsv')).text(),
  descriptions: await Bun.file(join(folder, 'descriptions.tsv')).text(),
}

/** Replaces `from`, which must occur, once by `to`. */
export function edit(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the text holds no ${JSON.stringify(from)}`)
  return text.replace(from, () => to)
}

/** The number of the line that starts with these fields. */
export function lineOf(text: string, start: string): number {
  return text.split('\n').findIndex((line) => line.startsWith(`${start}\t`)) + 1
}

/** The lines of the message that `parseCatalog` throws. */
export function faultsOf(changed: Partial<typeof sources>): string[] {
  try {
    parseCatalog({ ...sources, ...changed })
  } catch (error) {
    if (error instanceof CatalogError) return error.message.split('\n')
    throw error
  }
  return []
}
