/** Builds the package exports, `src/client`, `src/devnet`, `src/history`, `src/live` and `src/provenance`, as ES modules with their types. Run by `prepack`. */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { $, type BunPlugin } from 'bun'
import { bundleClient } from './bundleClient.ts'

process.chdir(`${import.meta.dir}/..`)

const client = 'dist/client'
const devnet = 'dist/devnet'
// Nothing in them is specific to a runtime.
const portable = ['history', 'live', 'provenance']
for (const built of [client, devnet, 'dist/types', ...portable.map((name) => `dist/${name}`)])
  await rm(built, { recursive: true, force: true })

await bundleClient({ outdir: client })
await $`${process.execPath} x tsc -p tsconfig.package.json --checkers 1`

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

for (const name of portable)
  await Bun.build({
    entrypoints: [`src/${name}/index.ts`],
    outdir: `dist/${name}`,
    target: 'browser',
    format: 'esm',
  })
