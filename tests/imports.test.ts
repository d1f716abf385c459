import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The folders that read and prove, from the inside out. Each may import itself and those above it. */
const rings = [
  'async',
  'bytes',
  'casper/types',
  'casper/proof',
  'casper/consensus',
  'casper/rpc',
  'casper/state',
  'casper/lightClient',
  'odra',
  'registry',
  'client',
] as const

/** The other folders that each folder may import; every folder may import `errors.ts`. */
const mayImport: Record<string, readonly string[]> = {
  ...Object.fromEntries(rings.map((ring, index) => [ring, rings.slice(0, index)])),
  runtime: [...rings],
  'casper/transaction': [...rings.slice(0, rings.indexOf('odra')), 'runtime'],
  provenance: [...rings, 'eia', 'catalog'],
  history: [...rings, 'eia'],
  live: [...rings],
  status: ['registry', 'eia', 'provenance'],
  tables: [...rings, 'history', 'runtime'],
  chart: ['async', 'eia', 'runtime'],
  server: [
    ...rings,
    'api',
    'chart',
    'cite',
    'docs',
    'site',
    'runtime',
    'catalog',
    'eia',
    'history',
    'live',
    'provenance',
    'status',
    'tables',
  ],
  agent: [...rings, 'runtime', 'casper/transaction', 'eia', 'catalog', 'status'],
  operator: [
    ...rings,
    'runtime',
    'casper/transaction',
    'eia',
    'catalog',
    'agent',
    'provenance',
    'history',
    'tables',
  ],
  // The lock of its directory and the registries that it can install are all that keeps it from a package of its own.
  devnet: ['bytes', 'casper/types', 'casper/consensus', 'registry', 'runtime'],
  // The rows of a data set are compared with its proof.
  verify: [...rings, 'runtime', 'operator'],
  forward: [...rings, 'runtime', 'live'],
  demo: [...rings, 'runtime', 'casper/transaction', 'agent', 'operator', 'devnet', 'eia', 'catalog'],
  // Pages run in browsers; the server only serves their files.
  explorer: [
    'api',
    'site',
    'cite',
    'async',
    'bytes',
    'catalog',
    'client',
    'eia',
    'history',
    'live',
    'provenance',
  ],
  // The fields of a reading have one table.
  api: ['registry'],
  cite: [...rings, 'eia', 'site'],
  // The design and the navigation of all pages, and the verifier's build.
  site: [],
  // The pages of the documentation; the server only serves their files.
  docs: ['site'],
  eia: ['async', 'bytes'],
  catalog: [],
}

/** The imports that each entry may have. */
const entries: Record<string, readonly string[]> = {
  'index.ts': [
    'serve.ts',
    'agent.ts',
    'feeds.ts',
    'eligibility.ts',
    'committee.ts',
    'contracts.ts',
    'transaction.ts',
    'verify.ts',
    'provenance.ts',
    'export.ts',
    'forward.ts',
    'mcp.ts',
    'devnet.ts',
    'demo.ts',
    'runtime',
  ],
  'serve.ts': [...rings, 'runtime', 'server', 'catalog'],
  'agent.ts': [...rings, 'runtime', 'agent', 'eia', 'catalog'],
  'feeds.ts': [...rings, 'runtime', 'agent', 'operator', 'eia', 'catalog'],
  'eligibility.ts': ['runtime', 'operator'],
  'committee.ts': ['runtime', 'operator'],
  'contracts.ts': [...rings, 'runtime', 'agent', 'operator'],
  'transaction.ts': ['runtime', 'operator'],
  'verify.ts': [...rings, 'runtime', 'site', 'verify'],
  'provenance.ts': ['runtime', 'agent', 'operator', 'eia'],
  'export.ts': ['runtime', 'agent', 'operator'],
  'mcp.ts': [...rings, 'runtime', 'server'],
  'forward.ts': ['bytes', 'runtime', 'live', 'forward'],
  'devnet.ts': [...rings, 'runtime', 'devnet'],
  'demo.ts': ['agent.ts', 'runtime', 'devnet', 'demo'],
}

/**
 * The parts of the repository that each part may import, from the inside out. Tests are the files that `bun test` runs;
 * `support` is everything else below `tests`.
 */
const partsMayImport: Record<string, readonly string[]> = {
  // The demo imports the datasets.
  src: ['contracts/wasm', 'fixtures/eia', 'package.json'],
  scripts: ['src', 'package.json', 'tests/timings.json'],
  support: ['src', 'scripts', 'fixtures', 'package.json'],
  bench: ['src', 'support', 'fixtures'],
  tests: ['src', 'scripts', 'support', 'bench', 'fixtures', 'package.json', 'server.json'],
}

/** Files in the root of `src` that are not entries, and import at most each other. */
const shared = ['errors.ts', 'defineError.ts', 'assets.d.ts']

/** Modules of a platform or of a program. The reading half does not import them: it runs everywhere and stays small. */
const platform = /^(node:|bun($|:)|elysia|@elysiajs\/|casper-js-sdk|prom-client|pino)/

/** The only files that may re-export: the package's entries. */
const barrels = [
  'client/index.ts',
  'devnet/index.ts',
  'history/index.ts',
  'live/index.ts',
  'provenance/index.ts',
]

/** A file of `src`, by its path there. */
type Sources = ReadonlyMap<string, string>

/** The imports of each file, as written there. */
function importsOf(path: string, source: string): string[] {
  const loader = path.endsWith('.tsx') ? 'tsx' : 'ts'
  const typed = [...source.matchAll(/^\s*(?:import|export)\s+type\s[^'"]*?from\s*['"]([^'"]+)['"]/gm)]
  const dynamic = [...source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)]
  const inType = [...source.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]/gm)]
  const scanned = new Bun.Transpiler({ loader }).scanImports(source).map((each) => each.path)
  return [...new Set([...scanned, ...[...typed, ...dynamic, ...inType].map(([, name]) => name ?? '')])]
}

/** The folder of a file in `src` or `packages/casper/src`, or the file itself if it is in none. */
function folderOf(path: string): string {
  const [folder = '', subfolder = ''] = path.split('/')
  return folder === 'casper' ? `${folder}/${subfolder}` : folder
}

/** Describes every two folders, at any depth, that import each other. */
function mutualImports(sources: Sources): string[] {
  const arrows = new Map<string, string>()
  for (const [path, source] of sources)
    for (const name of importsOf(path, source).filter((each) => each.startsWith('.'))) {
      const [from, to] = foldersApart(path, normalize(join(dirname(path), name)))
      if (from !== null && to !== null) arrows.set(`${from} ${to}`, path)
    }
  return [...arrows.keys()].filter((arrow) => {
    const [from, to] = arrow.split(' ')
    return (from ?? '') < (to ?? '') && arrows.has(`${to} ${from}`)
  })
}

/** The folders in which the paths of two files differ first, or null if one file is directly there. */
function foldersApart(one: string, other: string): [string | null, string | null] {
  const [left, right] = [one.split('/'), other.split('/')]
  let depth = 0
  while (left[depth] === right[depth] && depth < Math.min(left.length, right.length) - 1) depth += 1
  const folderAt = (parts: string[]) =>
    depth < parts.length - 1 ? parts.slice(0, depth + 1).join('/') : null
  return [folderAt(left), folderAt(right)]
}

/** Describes every import that breaks a rule. */
function violations(sources: Sources): string[] {
  const found: string[] = []
  for (const [path, source] of sources) {
    const folder = folderOf(path)
    const allowed = mayImport[folder] ?? entries[path] ?? (shared.includes(path) ? [] : null)
    if (allowed === null) found.push(`${path} is in no ring and no entry`)
    for (const name of importsOf(path, source)) {
      if (!name.startsWith('.')) {
        if ((isReadingHalf(folder) || folder === 'explorer') && platform.test(name))
          found.push(`${path} imports ${name}`)
        continue
      }
      const target = normalize(join(dirname(path), name))
      // `partsMayImport` has the rules of the repository's parts.
      if (target.startsWith('..')) continue
      if (shared.includes(target) || folderOf(target) === folder) continue
      if (!(allowed ?? []).includes(folderOf(target))) found.push(`${path} imports ${target}`)
    }
    if (!barrels.includes(path) && isBarrel(source)) found.push(`${path} only gathers exports`)
  }
  return found
}

/** The part of the repository that a file belongs to. */
function partOf(path: string): string {
  if (path === 'tests/timings.json') return path
  if (path.startsWith('contracts/wasm/')) return 'contracts/wasm'
  if (path.startsWith('fixtures/eia/')) return 'fixtures/eia'
  const [folder = ''] = path.split('/')
  return folder === 'tests' && !path.endsWith('.test.ts') ? 'support' : folder
}

/** Describes every import between the repository's parts that breaks a rule. */
function violationsOfParts(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) => {
    const part = partOf(path)
    const allowed = [part, ...(partsMayImport[part] ?? [])]
    const targets = importsOf(path, source)
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(path), name)))
    return targets
      .filter((target) => !allowed.includes(partOf(target)))
      .map((target) => `${path} imports ${target}`)
  })
}

const isReadingHalf = (folder: string): boolean =>
  rings.some((ring) => ring === folder) || shared.includes(folder)

/** Whether a file re-exports. */
const isBarrel = (source: string): boolean =>
  /^export\s+(type\s+)?(\*|\{[^}]*\})\s*(as\s+\w+\s+)?from\s/m.test(source)

const repository = new URL('../', import.meta.url).pathname
const root = join(repository, 'src')

function readSources(folder: string): Sources {
  const paths = readdirSync(folder, { recursive: true }).map(String)
  // The prover's packages are installed below `src`.
  const files = paths.filter((path) => /\.tsx?$/.test(path) && !path.includes('/node_modules/')).sort()
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

describe('the repository', () => {
  test('default: every part imports only what it may', () => {
    const sources = new Map<string, string>()
    for (const folder of ['src', 'tests', 'bench', 'scripts'])
      for (const [path, source] of readSources(join(repository, folder)))
        sources.set(`${folder}/${path}`, source)
    // The examples in this file are not imports.
    sources.delete('tests/imports.test.ts')
    expect(sources.size).toBeGreaterThan(1_000)
    expect(violationsOfParts(sources)).toEqual([])
  })

  test.each([
    ['src/library/client/a.ts', "import { b } from '../../tests/support/b.ts'", 'tests/support/b.ts'],
    [
      'packages/casper-devnet/src/a.ts',
      "import b from '../../fixtures/chain/b.wasm'",
      'fixtures/chain/b.wasm',
    ],
    ['packages/casper-devnet/src/a.ts', "import { b } from '../../bench/b.ts'", 'bench/b.ts'],
    ['packages/casper-devnet/src/a.ts', "import b from '../../contracts/Cargo.toml'", 'contracts/Cargo.toml'],
    ['scripts/a.ts', "import { b } from '../tests/support/b.ts'", 'tests/support/b.ts'],
    ['tests/support/a.ts', "import { b } from '../../bench/b.ts'", 'bench/b.ts'],
    ['tests/support/a.ts', "import { b } from '../b.test.ts'", 'tests/b.test.ts'],
    ['bench/a.ts', "import { b } from '../tests/b.test.ts'", 'tests/b.test.ts'],
    ['bench/a.ts', "import { b } from '../scripts/b.ts'", 'scripts/b.ts'],
  ])('error: %s: %p', (path, source, target) => {
    expect(violationsOfParts(new Map([[path, source]]))).toEqual([`${path} imports ${target}`])
  })
})

describe('src', () => {
  const sources = readSources(root)

  test('default: every file imports only what its ring may', () => {
    expect(sources.size).toBeGreaterThan(40)
    expect(violations(sources)).toEqual([])
  })

  test('behavior: no two folders import each other, at any depth', () => {
    expect(mutualImports(sources)).toEqual([])
  })

  test('behavior: docs/architecture.md lists each folder below those that it may import', () => {
    const table =
      readFileSync(join(repository, 'docs/architecture.md'), 'utf8').match(/^\| `src\/[^|]*/gm) ?? []
    const listed = table.flatMap((cell) => [...cell.matchAll(/`src\/([^`]+)`/g)].map(([, name = '']) => name))
    const absent = Object.keys(mayImport).filter((folder) => !listed.includes(folder))
    const below = Object.entries(mayImport).flatMap(([folder, others]) =>
      others
        .filter((other) => listed.indexOf(other) > listed.indexOf(folder))
        .map((other) => `${folder} is above ${other}`),
    )
    expect([...absent, ...below]).toEqual([])
  })

  test('behavior: every import of a file of src exists', () => {
    const missing = [...sources].flatMap(([path, source]) =>
      importsOf(path, source)
        .filter((name) => name.startsWith('.') && !existsSync(join(root, dirname(path), name)))
        .map((name) => `${path} imports ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('behavior: what decides goes by EIA’s dates, not by what a period covers', () => {
    const deciding =
      /^(agent|demo|provenance|status\/(gaps|punctuality)|eia\/(calendar|period\.ts|series|listRows|inspect))/
    const covering = [...sources].flatMap(([path, source]) =>
      importsOf(path, source).some((name) => name.endsWith('/coverage.ts')) ? [path] : [],
    )
    expect(covering.length).toBeGreaterThan(5)
    expect(covering.filter((path) => deciding.test(path))).toEqual([])
  })

  test('behavior: all rings exist', () => {
    for (const ring of rings) expect([...sources.keys()].some((path) => folderOf(path) === ring)).toBeTrue()
  })
})

describe('the checker', () => {
  const check = (path: string, source: string): string[] => violations(new Map([[path, source]]))

  const broken: [string, string, string][] = [
    ['bytes/a.ts', "import { b } from '../casper/types/b.ts'", 'bytes/a.ts imports casper/types/b.ts'],
    ['casper/proof/a.ts', "import { b } from '../rpc/b.ts'", 'casper/proof/a.ts imports casper/rpc/b.ts'],
    ['casper/rpc/a.ts', "import type { B } from '../../odra/b.ts'", 'casper/rpc/a.ts imports odra/b.ts'],
    ['agent/a.ts', "import { b } from '../operator/b.ts'", 'agent/a.ts imports operator/b.ts'],
    ['odra/a.ts', "import { type B } from '../registry/b.ts'", 'odra/a.ts imports registry/b.ts'],
    ['registry/a.ts', "export type C = import('../client/b.ts').B", 'registry/a.ts imports client/b.ts'],
    [
      'client/a.ts',
      "import {\n  type B,\n  c,\n} from '../server/b.ts'\nc()",
      'client/a.ts imports server/b.ts',
    ],
    ['client/a.ts', "import '../devnet/b.ts'", 'client/a.ts imports devnet/b.ts'],
    ['client/a.ts', "const b = await import('../agent/b.ts')", 'client/a.ts imports agent/b.ts'],
    ['server/a.ts', "import { b } from '../agent/b.ts'", 'server/a.ts imports agent/b.ts'],
    ['agent/a.ts', "import { b } from '../devnet/b.ts'", 'agent/a.ts imports devnet/b.ts'],
    ['devnet/a.ts', "import { b } from '../agent/b.ts'", 'devnet/a.ts imports agent/b.ts'],
    ['runtime/a.ts', "import { b } from '../server/b.ts'", 'runtime/a.ts imports server/b.ts'],
    ['runtime/a.ts', "import { b } from '../agent/b.ts'", 'runtime/a.ts imports agent/b.ts'],
    ['client/a.ts', "import { b } from '../runtime/b.ts'", 'client/a.ts imports runtime/b.ts'],
    ['catalog/a.ts', "import { b } from '../bytes/b.ts'", 'catalog/a.ts imports bytes/b.ts'],
    ['eia/a.ts', "import { b } from '../casper/rpc/b.ts'", 'eia/a.ts imports casper/rpc/b.ts'],
    ['index.ts', "import { b } from './agent/b.ts'", 'index.ts imports agent/b.ts'],
    ['index.ts', "import { b } from './server/b.ts'", 'index.ts imports server/b.ts'],
    ['serve.ts', "import { b } from './agent/b.ts'", 'serve.ts imports agent/b.ts'],
    ['server/a.ts', "import { b } from '../explorer/b.tsx'", 'server/a.ts imports explorer/b.tsx'],
    ['explorer/a.tsx', "import { b } from '../server/b.ts'", 'explorer/a.tsx imports server/b.ts'],
    [
      'explorer/a.tsx',
      "import { readFileSync } from 'node:fs'\nreadFileSync",
      'explorer/a.tsx imports node:fs',
    ],
    ['agent.ts', "import { b } from './server/b.ts'", 'agent.ts imports server/b.ts'],
    ['feeds.ts', "import { b } from './devnet/b.ts'", 'feeds.ts imports devnet/b.ts'],
    ['errors.ts', "import { b } from './bytes/b.ts'", 'errors.ts imports bytes/b.ts'],
    ['client/a.ts', "import { b } from '../index.ts'", 'client/a.ts imports index.ts'],
    ['client/a.ts', "import { readFileSync } from 'node:fs'\nreadFileSync", 'client/a.ts imports node:fs'],
    ['client/a.ts', "import { $ } from 'bun'\n$", 'client/a.ts imports bun'],
    ['registry/a.ts', "import type { Elysia } from 'elysia'", 'registry/a.ts imports elysia'],
    [
      'casper/state/a.ts',
      "import { Key } from 'casper-js-sdk'\nKey",
      'casper/state/a.ts imports casper-js-sdk',
    ],
    ['helpers/a.ts', '', 'helpers/a.ts is in no ring and no entry'],
    ['main.ts', '', 'main.ts is in no ring and no entry'],
    ['odra/index.ts', "export * from './a.ts'", 'odra/index.ts only gathers exports'],
    ['odra/index.ts', "export { a } from './a.ts'", 'odra/index.ts only gathers exports'],
    ['odra/index.ts', "export type {\n  A,\n  B,\n} from './a.ts'", 'odra/index.ts only gathers exports'],
  ]
  test.each(broken)('error: %s: %p', (path, source, violation) => {
    expect(check(path, source)).toEqual([violation])
  })

  test('error: two folders that import each other, however deep', () => {
    const sources = new Map([
      ['agent/one/a.ts', "import { b } from '../two/b.ts'\nb"],
      ['agent/two/b.ts', ''],
      ['agent/two/deep/c.ts', "import { a } from '../../one/a.ts'\na"],
      ['agent/three/d.ts', "import { a } from '../one/a.ts'\nimport { e } from '../e.ts'\na, e"],
      ['agent/e.ts', "import { d } from './three/d.ts'\nd"],
    ])
    expect(mutualImports(sources)).toEqual(['agent/one agent/two'])
  })

  test('default: allowed imports', () => {
    const sources = new Map([
      ['client/a.ts', "import { b } from '../bytes/b.ts'\nimport { WattfeedError } from '../errors.ts'\nb"],
      ['client/index.ts', "export { a } from './a.ts'\nexport { b } from '../bytes/b.ts'"],
      ['client/c.ts', "import pLimit from 'p-limit'\n// import { x } of '../server/x.ts'\npLimit"],
      ['server/a.ts', "import { a } from '../client/index.ts'\nimport { Elysia } from 'elysia'\na, Elysia"],
      ['server/b.ts', "import { datasets } from '../catalog/datasets.ts'\ndatasets"],
      ['agent/a.ts', "import { fetchSeries } from '../eia/fetchSeries.ts'\nfetchSeries"],
      ['agent/b.ts', "import { datasets } from '../catalog/datasets.ts'\ndatasets"],
      ['runtime/a.ts', "import pino from 'pino'\nimport { a } from '../client/index.ts'\npino, a"],
      ['server/c.ts', "import { a } from '../runtime/a.ts'\na"],
      ['agent/c.ts', "import { a } from '../runtime/a.ts'\na"],
      ['devnet/c.ts', "import { a } from '../runtime/a.ts'\na"],
      ['index.ts', "const a = await import('./agent.ts')\na"],
      ['serve.ts', "import { a } from './server/a.ts'\na"],
    ])
    expect(violations(sources)).toEqual([])
  })
})
