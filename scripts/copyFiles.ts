import { basename, join } from 'node:path'
import type { BunPlugin } from 'bun'

/** Copies a file into a folder of the bundle and imports its path: Bun's own path is relative to the working directory. */
export const copyFiles = (filter: RegExp, folder: string): BunPlugin => ({
  name: 'copy-files',
  setup(build) {
    build.onLoad({ filter }, async ({ path }) => {
      await Bun.write(join(folder, basename(path)), Bun.file(path))
      return {
        contents: `import { fileURLToPath } from 'node:url'
export default fileURLToPath(new URL(${JSON.stringify(`./${basename(path)}`)}, import.meta.url))`,
        loader: 'js',
      }
    })
  },
})
