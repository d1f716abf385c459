/**
 * Packs the program `wattfeed-cli` for npm: `bun scripts/buildCli.ts [folder]`. It is staged in `dist/packages/cli`. The folder,
 * `dist/packages` by default, gets the tarball, whose path is printed.
 */
import { cp, rename, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { $ } from 'bun'
import top from '../package.json' with { type: 'json' }
import cli from '../packages/cli/package.json' with { type: 'json' }
import { copyFiles } from './copyFiles.ts'
import { emitTypes } from './emitTypes.ts'

const root = join(import.meta.dir, '..')
const stage = join(root, 'dist/packages/cli')
const devnetEntry = 'src/devnet/index.ts'

/** Bundles the program with its packages, so that it depends on Bun alone. */
async function bundleProgram(folder: string): Promise<void> {
  await bundle({
    entrypoints: ['src/index.ts', 'src/tables/tableWorker.ts', 'src/web/chart/pictureWorker.ts'],
    folder,
    files: /\.(wasm|css|ttf)$|\/SHA256SUMS$|\/swagger-ui-bundle\.js$/,
    minify: { syntax: true, whitespace: true },
  })
  await rename(join(folder, 'index.js'), join(folder, 'wattfeed.js'))
  for (const worker of ['tableWorker', 'pictureWorker'])
    await rename(join(folder, `${worker}.js`), join(folder, `${worker}.ts`))
  // For the starter, which names them instead of those in the user's folder.
  await Bun.write(join(folder, 'bunfig.toml'), '')
  await Bun.write(join(folder, 'tsconfig.json'), '{}\n')
}

async function bundleDevnet(folder: string): Promise<void> {
  await bundle({ entrypoints: [devnetEntry], folder, files: /\.wasm$/, minify: false })
  await emitTypes([devnetEntry], join(stage, 'types'))
}

async function bundle({
  entrypoints,
  folder,
  files,
  minify,
}: {
  entrypoints: readonly string[]
  folder: string
  /** The files that are imported as paths. */
  files: RegExp
  minify: false | { syntax: boolean; whitespace: boolean }
}): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: entrypoints.map((path) => join(root, path)),
    outdir: folder,
    // One folder, because a worker's path is relative to the module that starts it.
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]' },
    target: 'bun',
    format: 'esm',
    splitting: true,
    minify,
    // Otherwise the bundler writes this machine's folders into CommonJS packages.
    define: { __dirname: 'import.meta.dirname' },
    plugins: [copyFiles(files, folder)],
  })
  const assets = outputs.filter(({ kind }) => kind === 'asset').map(({ path }) => basename(path))
  if (assets.length > 0)
    throw new Error(`the filter of copyFiles misses the imports of these files: ${assets.join(', ')}`)
}

/** The `package.json` of the tarball. */
function manifest(): Record<string, unknown> {
  const { private: _, ...published } = cli
  const types = `./types/${devnetEntry.replace(/\.ts$/, '.d.ts')}`
  return {
    ...published,
    version: top.version,
    author: top.author,
    files: ['bin', 'devnet', 'program', 'types'],
    // For tools that do not read `exports`.
    typesVersions: { '*': { devnet: [types] } },
    // It uses modules of Bun: in Node.js it is missing, not broken.
    exports: { './devnet': { types, bun: './devnet/index.js' }, './package.json': './package.json' },
    // Not in packages/cli, where `bun install` would load it, and scripts would run it instead of the Bun that runs them.
    dependencies: { bun: top.devDependencies['bun-types'] },
  }
}

await rm(stage, { recursive: true, force: true })
await bundleProgram(join(stage, 'program'))
await bundleDevnet(join(stage, 'devnet'))
await cp(join(root, 'packages/cli/bin'), join(stage, 'bin'), { recursive: true })
await cp(join(root, 'packages/cli/README.md'), join(stage, 'README.md'))
await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'))
await Bun.write(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)

const [folder = join(root, 'dist/packages')] = Bun.argv.slice(2)
const packed = await $`npm pack --silent --pack-destination ${resolve(folder)}`.cwd(stage).text()
console.log(join(folder, packed.trim()))
