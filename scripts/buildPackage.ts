/** Builds what the package exports: `src/client` as one ES module with its types. Run by `prepack`. */
import { rm } from 'node:fs/promises'
import { $ } from 'bun'

process.chdir(`${import.meta.dir}/..`)
await rm('dist/client', { recursive: true, force: true })
await Bun.build({
  entrypoints: ['src/client/index.ts'],
  outdir: 'dist/client',
  target: 'browser',
  format: 'esm',
  throw: true,
})
await $`${process.execPath} x tsc -p tsconfig.client.json`
