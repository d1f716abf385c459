/** Builds the package in `dist`: the library with its types, and the program. `bun scripts/buildPackage.ts`; run by `prepack`. */
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { BunPlugin } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import { emitTypes } from './emitTypes.ts'

const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')
const entries = ['client', 'devnet', 'history', 'live', 'provenance']

/** Copies a file into a folder of the package and imports its path: Bun's own path is relative to the working directory. */
const copyFiles = (filter: RegExp, folder: string): BunPlugin => ({
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

for (const folder of [...entries, 'bin', 'chunks', 'types'])
  await rm(join(dist, folder), { recursive: true, force: true })

// A single build, so that all entries share each module, including each error class.
await Bun.build({
  entrypoints: entries.map((name) => join(root, 'src/library', name, 'index.ts')),
  root: join(root, 'src/library'),
  outdir: dist,
  naming: { chunk: 'chunks/[name]-[hash].[ext]' },
  // The target `browser` would replace the Node.js modules that the devnet imports.
  target: 'node',
  format: 'esm',
  splitting: true,
  external: ['bun:*', ...Object.keys(manifest.dependencies).flatMap((name) => [name, `${name}/*`])],
  plugins: [copyFiles(/\.wasm$/, join(dist, 'devnet'))],
})

// The program bundles its packages, so that users of the library do not install them.
const bin = join(dist, 'bin')
const { outputs } = await Bun.build({
  entrypoints: ['index', 'tables/tableWorker', 'web/chart/pictureWorker'].map((name) =>
    join(root, `src/${name}.ts`),
  ),
  outdir: bin,
  // One folder, because a worker's path is relative to the module that starts it.
  naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]' },
  target: 'bun',
  format: 'esm',
  splitting: true,
  minify: { syntax: true, whitespace: true },
  // Otherwise the bundler writes this machine's folders into CommonJS packages.
  define: { __dirname: 'import.meta.dirname' },
  plugins: [copyFiles(/\.(wasm|css|ttf)$|\/SHA256SUMS$|\/swagger-ui-bundle\.js$/, bin)],
})
const assets = outputs.filter(({ kind }) => kind === 'asset').map(({ path }) => basename(path))
if (assets.length > 0)
  throw new Error(`the filter of copyFiles misses the imports of these files: ${assets.join(', ')}`)
const program = await Bun.file(join(bin, 'index.js')).text()
await Bun.write(join(bin, 'wattfeed.js'), `#!/usr/bin/env bun\n${program}`)
await rm(join(bin, 'index.js'))
for (const worker of ['tableWorker', 'pictureWorker'])
  await rename(join(bin, `${worker}.js`), join(bin, `${worker}.ts`))

await emitTypes(
  entries.map((name) => `src/library/${name}/index.ts`),
  join(dist, 'types'),
)
