/** Builds the package exports, `src/client`, `src/devnet` and `src/provenance`, as ES modules with their types. Run by `prepack`. */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { $, type BunPlugin } from 'bun'
import { bundleClient } from './bundleClient.ts'

process.chdir(`${import.meta.dir}/..`)

const client = 'dist/client'
const devnet = 'dist/devnet'
const provenance = 'dist/provenance'
for (const built of [client, devnet, provenance, 'dist/types'])
  await rm(built, { recursive: true, force: true })

await bundleClient({ outdir: client })
await $`${process.execPath} x tsc -p tsconfig.package.json`

/** Copies wasm next to the bundle: Bun would import it by a path relative to the working directory. */
const copyWasm = (outdir: string): BunPlugin => ({
  name: 'copy-wasm',
  setup(build) {
    build.onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      await Bun.write(join(outdir, basename(path)), Bun.file(path))
      return {
        contents: `import { fileURLToPath } from 'node:url'
export default fileURLToPath(new URL(${JSON.stringify(`./${basename(path)}`)}, import.meta.url))`,
        loader: 'js',
      }
    })
  },
})

await Bun.build({
  entrypoints: ['src/devnet/index.ts'],
  outdir: devnet,
  target: 'bun',
  format: 'esm',
  plugins: [copyWasm(devnet)],
})

await Bun.build({
  entrypoints: ['src/provenance/index.ts'],
  outdir: provenance,
  // Nothing in it is specific to a runtime.
  target: 'browser',
  format: 'esm',
})
