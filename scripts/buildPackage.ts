/** Builds what the package exports: `src/client` as ES modules with their types. Run by `prepack`. */
import { rm } from 'node:fs/promises'
import { $ } from 'bun'
import { bundleClient } from './bundleClient.ts'

process.chdir(`${import.meta.dir}/..`)
await rm('dist/client', { recursive: true, force: true })
await bundleClient({ outdir: 'dist/client' })
await $`${process.execPath} x tsc -p tsconfig.client.json`
