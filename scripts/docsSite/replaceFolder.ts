import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SiteFiles } from './staticSite.ts'

/** Marks a folder that `docs:site` wrote, so that it may write there again. */
const MARK = '.docs-site'

/**
 * Writes the files of the site into a folder, in place of those of an earlier run.
 *
 * @throws {Error} if the folder has other files
 */
export function replaceFolder(folder: string, files: SiteFiles): void {
  if (existsSync(folder) && !isOwn(folder))
    throw new Error(
      `${folder} has files that this command did not write: remove them, or name another folder with --out`,
    )
  rmSync(folder, { recursive: true, force: true })
  // The mark is first: a run that is stopped leaves a folder that the next one may replace.
  for (const [name, text] of [[MARK, ''], ...files] as const) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

function isOwn(folder: string): boolean {
  const names = readdirSync(folder)
  return names.length === 0 || names.includes(MARK)
}
