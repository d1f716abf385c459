/** Builds the package exports, `src/client` and `src/devnet`, as ES modules with their types. Run by `prepack`. */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { $, type BunPlugin } from 'bun'
import { bundleClient } from './bundleClient.ts'

process.chdir(`${import.meta.dir}/..`)

const client = 'dist/client'
await rm(client, { recursive: true, force: true })
await bundleClient({ outdir: client })
await $`${process.execPath} x tsc -p tsconfig.client.json`

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

const devnet = 'dist/devnet'
await rm(devnet, { recursive: true, force: true })
await Bun.build({
  entrypoints: ['src/devnet/index.ts'],
  outdir: devnet,
  target: 'bun',
  format: 'esm',
  plugins: [copyWasm(devnet)],
})
await $`${process.execPath} x tsc -p tsconfig.devnet.json`
