import type { BuiltFile } from '../../web/site/builtFile.ts'

/** The start of the paths of the explorer's built files. */
export const ASSETS_PATH = '/explorer/assets/'

/** Finds a built file by the start of its name, which a hash may follow. */
export function findBuilt(files: readonly BuiltFile[], start: string): BuiltFile {
  const found = files.find(({ name }) => name.startsWith(start))
  if (found === undefined) throw new Error(`the explorer build lacks ${start}; build it again`)
  return found
}
