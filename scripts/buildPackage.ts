/** Builds the library `wattfeed` in `dist`, with its types. `bun scripts/buildPackage.ts`; run by `prepack`. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { emitTypes } from './emitTypes.ts'

const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')
const entries = ['client', 'history', 'live', 'provenance', 'series']

for (const folder of [...entries, 'chunks', 'types'])
  await rm(join(dist, folder), { recursive: true, force: true })

// A single build, so that all entries share each module, including each error class.
await Bun.build({
  entrypoints: entries.map((name) => join(root, 'src/library', name, 'index.ts')),
  root: join(root, 'src/library'),
  outdir: dist,
  naming: { chunk: 'chunks/[name]-[hash].[ext]' },
  target: 'node',
  format: 'esm',
  splitting: true,
  external: Object.keys(manifest.dependencies).flatMap((name) => [name, `${name}/*`]),
})

await emitTypes(
  entries.map((name) => `src/library/${name}/index.ts`),
  join(dist, 'types'),
)
