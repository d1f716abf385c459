/**
 * Writes the API pages of packages with TypeDoc, each in `dist/api/<name>`: `bun scripts/generateApiPages.ts casper eia`. TypeDoc
 * needs a compiler of its own: `bun install --cwd scripts/packages`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { publicEntries } from './packPackage.ts'

const root = join(import.meta.dir, '..')
const typedoc = join(root, 'scripts/packages/node_modules/typedoc/bin/typedoc')

/** Whether TypeDoc is installed. */
export const hasTypedoc = existsSync(typedoc)

const documented = ['Class', 'Function', 'Interface', 'TypeAlias', 'Variable']

/** Types that pages mention but do not describe: constraints of type parameters, and parts of a node's JSON. */
const mentionedOnly: Readonly<Record<string, readonly string[]>> = {
  casper: ['Codecs', 'Kinds', 'SIMPLE_TYPES', 'reasons', 'SeigniorageAllocation'],
  'casper-devnet': ['BlockBodyJson'],
}

/**
 * Writes the pages of a package into a folder. Fails for an export without a comment, a type that is used but not exported, and
 * a link that leads nowhere.
 */
export async function generateApiPages(name: string, folder: string): Promise<void> {
  if (!hasTypedoc)
    throw new Error('TypeDoc is not installed; run "bun install --cwd scripts/packages --frozen-lockfile"')
  const packed = join(root, 'packages', name)
  const manifest = await Bun.file(join(packed, 'package.json')).json()
  const title: string = manifest.name
  const entryPoints = publicEntries(manifest).map(([, file]) => ['--entryPoints', join(packed, file)])
  const flags = {
    tsconfig: join(root, 'scripts/packages/tsconfig.json'),
    name: title,
    readme: join(packed, 'README.md'),
    out: folder,
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    // "bun run types" checks them.
    skipErrorChecking: true,
    'validation.notDocumented': true,
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
  }
  const options = [
    ...entryPoints.flat(),
    ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
    ...documented.flatMap((kind) => ['--requiredToBeDocumented', kind]),
    ...(mentionedOnly[name] ?? []).flatMap((each) => ['--intentionallyNotExported', each]),
  ]
  const { exitCode, stdout, stderr } = await $`node ${typedoc} ${options}`
    .env({ ...process.env, NO_COLOR: '1' })
    .cwd(root)
    .nothrow()
    .quiet()
  if (exitCode !== 0) throw new Error(`TypeDoc cannot write the pages of ${title}:\n${stdout}${stderr}`)
}

if (import.meta.main)
  for (const name of Bun.argv.slice(2)) {
    const folder = join(root, 'dist/api', name)
    await generateApiPages(name, folder)
    console.log(folder)
  }
