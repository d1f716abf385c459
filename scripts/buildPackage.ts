/**
 * Builds what the package exports: `src/client` as ES modules with their types. What verifies is a module of its own,
 * loaded by those who verify. Run by `prepack`.
 */
import { rm } from 'node:fs/promises'
import { $ } from 'bun'

process.chdir(`${import.meta.dir}/..`)
await rm('dist/client', { recursive: true, force: true })
await Bun.build({
  entrypoints: ['src/client/index.ts'],
  outdir: 'dist/client',
  target: 'browser',
  format: 'esm',
  splitting: true,
  throw: true,
})
await $`${process.execPath} x tsc -p tsconfig.client.json`
