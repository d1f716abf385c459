/** Builds the package's entries in `dist`, as ES modules with their types: `bun scripts/buildPackage.ts`. Run by `prepack`. */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { $, type BunPlugin } from 'bun'

const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')
const entries = ['client', 'devnet', 'history', 'live', 'provenance']

/** Copies wasm next to the devnet: Bun would import it by a path relative to the working directory. */
const copyWasm: BunPlugin = {
  name: 'copy-wasm',
  setup(build) {
    build.onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      await Bun.write(join(dist, 'devnet', basename(path)), Bun.file(path))
      return {
        contents: `import { fileURLToPath } from 'node:url'
export default fileURLToPath(new URL(${JSON.stringify(`./${basename(path)}`)}, import.meta.url))`,
        loader: 'js',
      }
    })
  },
}

for (const folder of [...entries, 'chunks', 'types'])
  await rm(join(dist, folder), { recursive: true, force: true })

// One build, so that all entries share each module, and with it each error class.
await Bun.build({
  entrypoints: entries.map((name) => join(root, 'src', name, 'index.ts')),
  root: join(root, 'src'),
  outdir: dist,
  naming: { chunk: 'chunks/[name]-[hash].[ext]' },
  // The target `browser` would replace the modules of Node.js that the devnet imports.
  target: 'node',
  format: 'esm',
  splitting: true,
  packages: 'external',
  external: ['bun:*'],
  plugins: [copyWasm],
})
await $`${process.execPath} x tsc -p tsconfig.package.json --checkers 1`.cwd(root)
