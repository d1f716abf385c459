/**
 * Packs packages of the repository: `bun run package casper eia`. Without a name, it lists those there are and packs each. The tarballs
 * are written to `dist/packages`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { $ } from 'bun'
import top from '../package.json' with { type: 'json' }
import { copyDocuments, devnetPages, libraryPages } from './copyDocuments.ts'
import { emitTypes } from './emitTypes.ts'

const root = join(import.meta.dir, '..')
const out = join(root, 'dist/packages')

/** What the `package.json` of a package of the repository has. */
interface Manifest {
  name: string
  version: string
  description: string
  keywords?: readonly string[]
  license: string
  author?: string
  repository?: Readonly<Record<string, string>>
  engines?: Readonly<Record<string, string>>
  /** The program, which starts {@link PROGRAM}. */
  bin?: Readonly<Record<string, string>>
  /** The source of each entry. */
  exports: Readonly<Record<string, string>>
  dependencies?: Readonly<Record<string, string>>
}

/** Entries that use modules and functions of Bun. In Node.js they are missing, not broken. */
const bunEntries: ReadonlySet<string> = new Set(['@wattfeed/casper/sqlite', '@wattfeed/casper-devnet'])

/** What the file in `bin` of a package runs. It is bundled beside the entries, but not exported. */
const PROGRAM = 'src/command/main.ts'

const readManifest = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))

/**
 * Stages a package and packs it with npm. The packages of the repository that it imports are bundled in; those of npm are its
 * dependencies.
 *
 * @param folder where the stage and the tarball go
 * @returns the path of the tarball
 */
export async function packPackage(name: string, folder = out): Promise<string> {
  const stage = join(folder, name)
  const manifest = readManifest(name)
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  const sources = publicEntries(manifest).map(([, file]) => join('packages', name, file))
  const program = manifest.bin === undefined ? [] : [join('packages', name, PROGRAM)]
  await bundle(name, [...sources, ...program], join(stage, 'dist'))
  await emitTypes(sources, join(stage, 'types'))
  await cp(join(root, 'packages', name, 'README.md'), join(stage, 'README.md'))
  await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'))
  for (const file of Object.values(manifest.bin ?? {}))
    await cp(join(root, 'packages', name, file), join(stage, file))
  if (name === 'wattfeed') await copyDocuments(stage, libraryPages)
  if (name === 'casper-devnet') await copyDocuments(stage, devnetPages)
  await Bun.write(
    join(stage, 'package.json'),
    `${JSON.stringify(published(name, manifest, stage), null, 2)}\n`,
  )
  const packed = await $`npm pack --silent --ignore-scripts --pack-destination ${resolve(folder)}`
    .cwd(stage)
    .quiet()
  return join(folder, packed.text().trim())
}

/**
 * The entries that a tarball exports. One named `internal` is for the programs of the repository, those below `testing` are for
 * tests, and data is bundled in.
 */
export const publicEntries = ({ exports }: Manifest): [entry: string, file: string][] =>
  Object.entries(exports).filter(
    ([entry, file]) => !/^\.\/(internal$|testing\/)/.test(entry) && file.endsWith('.ts'),
  )

/** Bundles all entries in a single build, so that they share each module, including each error class. */
async function bundle(name: string, sources: readonly string[], outdir: string): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: sources.map((file) => join(root, file)),
    root: join(root, 'packages', name, 'src'),
    outdir,
    naming: { chunk: 'chunks/[name]-[hash].[ext]' },
    // The target `browser` would replace the modules of Node.js that some entries import.
    target: 'node',
    format: 'esm',
    splitting: true,
    external: ['bun:*', ...[...npmVersions.keys()].flatMap((each) => [each, `${each}/*`])],
  })
  const assets = outputs.filter(({ kind }) => kind === 'asset').map(({ path }) => basename(path))
  if (assets.length > 0)
    throw new Error(`the bundle would read these files by a path of its own: ${assets.join(', ')}`)
}

/** The exact version of each npm package that the packages of the repository declare. */
const npmVersions: ReadonlyMap<string, string> = new Map(
  readdirSync(join(root, 'packages'))
    .flatMap((name) => Object.entries(readManifest(name).dependencies ?? {}))
    .filter(([, version]) => !version.startsWith('workspace:')),
)

/** Writes the `package.json` of the tarball. */
function published(name: string, manifest: Manifest, stage: string): Record<string, unknown> {
  const { description, keywords, license, author, repository, engines, bin } = manifest
  const entries = publicEntries(manifest).map(([entry, file]) => {
    const types = `./${join('types/packages', name, file).replace(/\.ts$/, '.d.ts')}`
    const script = file.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1.js')
    const isForBun = bunEntries.has(join(manifest.name, entry))
    return { entry, types, script, isForBun }
  })
  const [main] = entries
  return {
    name: manifest.name,
    // The library is released with the program.
    version: name === 'wattfeed' ? top.version : manifest.version,
    description,
    keywords,
    license,
    author,
    repository,
    type: 'module',
    sideEffects: false,
    engines,
    bin,
    // For tools that do not read `exports`.
    ...(main?.isForBun ? {} : { main: main?.script }),
    types: main?.types,
    typesVersions: {
      '*': Object.fromEntries(entries.slice(1).map(({ entry, types }) => [entry.slice(2), [types]])),
    },
    exports: {
      ...Object.fromEntries(
        entries.map(({ entry, types, script, isForBun }) => [
          entry,
          { types, [isForBun ? 'bun' : 'default']: script },
        ]),
      ),
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(listImported(stage).map((each) => [each, npmVersions.get(each)])),
  }
}

const scanner = new Bun.Transpiler({ loader: 'js' })
const COMMENT = /\/\*.*?\*\//gs
const IMPORT = /(?:from |import\()['"]([^'"]+)['"]/g

/** Lists the npm packages that the files of a stage import, declarations included. */
function listImported(stage: string): string[] {
  const specifiers = readdirSync(stage, { recursive: true }).flatMap((file) => {
    const text = (): string => readFileSync(join(stage, String(file)), 'utf8')
    if (String(file).endsWith('.js'))
      return scanner.scanImports(text().replace(/^#!.*/, '')).map(({ path }) => path)
    if (!String(file).endsWith('.d.ts')) return []
    return [...text().replaceAll(COMMENT, '').matchAll(IMPORT)].map(([, path = '']) => path)
  })
  const foreign = specifiers.filter((each) => !each.startsWith('.') && !isBuiltin(each))
  const packages = new Set(foreign.map((each) => /^(@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? each))
  for (const each of packages)
    if (!npmVersions.has(each)) throw new Error(`no package of the repository declares ${each}`)
  return [...packages].sort()
}

/** A package that people install. */
interface Tarball {
  readonly description: string
  /** Writes the tarball, and returns its path. */
  pack(): Promise<string>
}

/** The packages by the name that the command takes. What the others have in common is bundled into them, and nobody installs it; nor what their tests share. */
export const tarballs: Readonly<Record<string, Tarball>> = {
  cli: { description: readManifest('cli').description, pack: packProgram },
  ...Object.fromEntries(
    ['wattfeed', 'casper', 'casper-devnet', 'eia'].map((name) => [
      name,
      { description: readManifest(name).description, pack: () => packPackage(name) },
    ]),
  ),
}

async function packProgram(): Promise<string> {
  const packed = await $`${process.execPath} scripts/buildCli.ts ${out}`.cwd(root).quiet()
  return packed.text().trim()
}

/**
 * Packs the named packages, and prints the path of each tarball. Without a name, lists what there is and packs all.
 *
 * @throws for an unknown name, before anything is packed
 */
export async function packAll(
  names: readonly string[],
  known: Readonly<Record<string, Tarball>>,
  print: (line: string) => void,
): Promise<void> {
  const wanted = (names.length === 0 ? Object.keys(known) : names).map((name) => {
    const tarball = Object.hasOwn(known, name) ? known[name] : undefined
    if (tarball !== undefined) return tarball
    throw new Error(`there is no package "${name}" to install; there are ${Object.keys(known).join(', ')}`)
  })
  const width = Math.max(...Object.keys(known).map(({ length }) => length))
  if (names.length === 0)
    for (const [name, { description }] of Object.entries(known))
      print(`${name.padEnd(width)}  ${description}`)
  for (const { pack } of wanted) print(await pack())
}

if (import.meta.main)
  await packAll(Bun.argv.slice(2), tarballs, console.log).catch((error: Error) => {
    console.error(`package: ${error.message}`)
    process.exitCode = 1
  })
