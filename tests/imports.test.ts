import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import manifest from '../package.json' with { type: 'json' }

/** The other rooms that each room of `src` may import. `feeds` and `web` are rows of rooms. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  'feeds/catalog': [],
  'feeds/status': [],
  'feeds/file': ['runtime'],
  committee: ['runtime'],
  tables: ['runtime'],
  // The fields of a reading have one table.
  api: [],
  // Both registries on the embedded chain, for development and tests.
  devnet: ['runtime'],
  // The frame of all pages, and the verifier's build.
  'web/site': [],
  'web/cite': ['web/site'],
  'web/docs': ['web/site'],
  'web/chart': ['runtime'],
  // Pages run in browsers; the server only serves their files.
  'web/explorer': ['feeds/catalog', 'api', 'web/site', 'web/cite'],
  server: [
    'feeds/catalog',
    'feeds/status',
    'runtime',
    'tables',
    'api',
    'web/site',
    'web/cite',
    'web/docs',
    'web/chart',
  ],
  forward: ['runtime'],
  agent: ['feeds/status', 'feeds/file', 'committee', 'runtime', 'tables'],
  operator: ['feeds/catalog', 'feeds/status', 'feeds/file', 'committee', 'runtime', 'tables', 'agent'],
  demo: ['feeds/file', 'committee', 'runtime', 'agent', 'operator'],
}

/** The imports that each entry may have. */
const entries: Readonly<Record<string, readonly string[]>> = {
  'index.ts': [
    'serve.ts',
    'doctor.ts',
    'agent.ts',
    'feeds.ts',
    'datasets.ts',
    'eligibility.ts',
    'committee.ts',
    'contracts.ts',
    'transaction.ts',
    'verify.ts',
    'provenance.ts',
    'series.ts',
    'export.ts',
    'forward.ts',
    'mcp.ts',
    'devnet.ts',
    'demo.ts',
    'runtime',
  ],
  'serve.ts': ['runtime', 'server'],
  'doctor.ts': ['operator'],
  'agent.ts': ['runtime', 'agent'],
  'feeds.ts': ['runtime', 'operator'],
  'datasets.ts': ['runtime', 'operator'],
  'eligibility.ts': ['runtime', 'operator'],
  'committee.ts': ['runtime', 'operator'],
  'contracts.ts': ['runtime', 'operator'],
  'transaction.ts': ['runtime', 'operator'],
  'verify.ts': ['runtime', 'web/site', 'operator'],
  'provenance.ts': ['runtime', 'agent', 'operator'],
  'series.ts': ['runtime', 'operator'],
  'export.ts': ['runtime', 'agent', 'operator'],
  'mcp.ts': ['runtime', 'server'],
  'forward.ts': ['runtime', 'forward'],
  'devnet.ts': ['runtime'],
  'demo.ts': ['agent.ts', 'runtime', 'demo'],
}

/** What pays, writes files or is a chain, and the rooms and entries that may import it. */
const restricted: readonly { readonly name: RegExp; readonly rooms: readonly string[] }[] = [
  {
    name: /^@wattfeed\/casper\/(transaction|sqlite)$/,
    rooms: ['agent', 'operator', 'demo', 'runtime', 'packages/casper/sqlite'],
  },
  {
    // A signer in Node.js needs no SQLite.
    name: /^@wattfeed\/base\/disk$/,
    rooms: [
      'agent',
      'operator',
      'forward',
      'demo',
      'runtime',
      'feeds/file',
      'forward.ts',
      'packages/casper/sqlite',
      'packages/casper-devnet',
      'packages/dataset/archive',
      'packages/dataset/disk',
    ],
  },
  { name: /^@wattfeed\/casper-devnet$/, rooms: ['devnet', 'demo', 'devnet.ts', 'demo.ts'] },
  // What tests share is for tests.
  { name: /^(@wattfeed|wattfeed)(\/[\w-]+)?\/testing(\/|$)/, rooms: [] },
]

/** The folders of packages that each folder may import. Those of `casper` that read and prove are a row, from the inside out. */
const inPackages: Readonly<Record<string, readonly string[]>> = {
  'packages/base': [],
  'packages/base/disk': ['packages/base'],
  'packages/casper': ['types', 'proof', 'consensus', 'rpc', 'state', 'lightClient', 'odra'].map(ofCasper),
  'packages/casper/types': [],
  'packages/casper/proof': [ofCasper('types')],
  'packages/casper/consensus': [ofCasper('types')],
  'packages/casper/rpc': [ofCasper('types')],
  'packages/casper/state': ['types', 'proof', 'rpc'].map(ofCasper),
  'packages/casper/lightClient': ['types', 'consensus', 'rpc'].map(ofCasper),
  'packages/casper/odra': ['types', 'state'].map(ofCasper),
  'packages/casper/transaction': ['types', 'rpc', 'state', 'lightClient'].map(ofCasper),
  'packages/casper/sqlite': [ofCasper('transaction')],
  'packages/casper-devnet': [],
  'packages/dataset': [],
  'packages/dataset/compare': ['packages/dataset'],
  'packages/dataset/table': ['packages/dataset'],
  'packages/dataset/disk': ['packages/dataset', 'packages/dataset/table'],
  'packages/dataset/archive': ['packages/dataset', 'packages/dataset/table'],
  'packages/eia': [],
  'packages/testing': [],
  // The library, from the inside out. Its entry marked internal is for the programs of this repository.
  'packages/wattfeed': ['registry', 'client', 'history', 'live', 'provenance', 'series'].map(ofLibrary),
  'packages/wattfeed/registry': [],
  'packages/wattfeed/client': [ofLibrary('registry')],
  'packages/wattfeed/history': ['registry', 'client'].map(ofLibrary),
  'packages/wattfeed/live': ['registry', 'client'].map(ofLibrary),
  'packages/wattfeed/series': ['registry', 'client'].map(ofLibrary),
  'packages/wattfeed/provenance': ['registry', 'client'].map(ofLibrary),
}

function ofCasper(folder: string): string {
  return `packages/casper/${folder}`
}

function ofLibrary(folder: string): string {
  return `packages/wattfeed/${folder}`
}

/**
 * The parts of the repository that each part may import, from the inside out. `tests` are the files there that `bun test`
 * runs. `helpers` of them are for all tests, and `support` is everything else there.
 */
const partsMayImport: Record<string, readonly string[]> = {
  // The demo imports the datasets, and the embedded chain a gate that accepts every account.
  src: ['contracts/wasm', 'fixtures/eia', 'fixtures/chain/openGate.wasm', 'package.json'],
  // A package imports the others by their names.
  packages: [],
  scripts: ['src', 'packages', 'package.json'],
  helpers: ['src', 'packages', 'scripts', 'support', 'fixtures', 'package.json'],
  support: ['src', 'packages', 'scripts', 'helpers', 'fixtures', 'package.json'],
  bench: ['src', 'packages', 'helpers', 'support', 'fixtures'],
  // The tests of a package know its sources, and the other packages by their names. Whoever takes the package away takes this data, too.
  'tests of a package': ['fixtures', 'contracts', 'docs'],
  tests: [
    'src',
    'packages',
    'scripts',
    'helpers',
    'support',
    'bench',
    'fixtures',
    'package.json',
    'server.json',
  ],
}

/** Modules of a platform or of a program. What reads and proves does not import them: it runs everywhere and stays small. */
const platform =
  /^(node:|bun($|:)|elysia|@elysiajs\/|casper-js-sdk|prom-client|pino|@wattfeed\/(base|dataset)\/disk|@wattfeed\/dataset\/archive|@wattfeed\/casper\/(transaction|sqlite)|@wattfeed\/casper-devnet)/

/** Where no platform is: in browsers, Node.js and Bun alike. */
const isPortable = (room: string): boolean =>
  /^(feeds\/(catalog|status)|web\/explorer|packages\/(base$|dataset$|dataset\/table|eia|wattfeed|casper\/(?!transaction|sqlite)))/.test(
    room,
  )

/** The sources of the product, by path. */
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

/** The room of a file: a folder of `src`, `web` or of a package, or an entry. */
function roomOf(path: string): string {
  const [part = '', first = '', , ...below] = path.split('/')
  const [folder = ''] = below
  if (part === 'packages') {
    const room = `packages/${first}/${folder}`
    return below.length > 1 && room in inPackages ? room : `packages/${first}`
  }
  const [, room = '', sub = ''] = path.split('/')
  return room === 'feeds' || room === 'web' ? `${room}/${sub}` : room
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
const violations = (sources: Sources): string[] => [...sources].flatMap((file) => violationsOf(...file))

function violationsOf(path: string, source: string): string[] {
  const room = roomOf(path)
  const allowed = mayImport[room] ?? entries[room] ?? inPackages[room]
  if (allowed === undefined && path !== 'src/assets.d.ts') return [`${path} is in no room and no entry`]
  const isWrong = (name: string): boolean => {
    if (!name.startsWith('.'))
      return (
        (isPortable(room) && platform.test(name)) ||
        restricted.some((each) => each.name.test(name) && !each.rooms.includes(room))
      )
    const target = normalize(join(dirname(path), name))
    // `partsMayImport` has the rules of the repository's parts. Data beside the sources of a package are for all of them.
    if (partOf(target) !== partOf(path) || !target.includes('src/')) return false
    return roomOf(target) !== room && !(allowed ?? []).includes(roomOf(target))
  }
  const wrong = importsOf(path, source)
    .filter(isWrong)
    .map((name) => `${path} imports ${name}`)
  return isEntry(path) || !isBarrel(source) ? wrong : [...wrong, `${path} only gathers exports`]
}

/** The part of the repository that a file belongs to. */
function partOf(path: string): string {
  if (path.startsWith('contracts/wasm/')) return 'contracts/wasm'
  if (path === 'fixtures/chain/openGate.wasm') return path
  if (path.startsWith('fixtures/eia/')) return 'fixtures/eia'
  const [folder = '', name = ''] = path.split('/')
  if (folder === 'packages')
    return path.startsWith(`packages/${name}/tests/`) ? `tests of ${name}` : `packages/${name}`
  if (folder !== 'tests' || path.endsWith('.test.ts')) return folder
  return /^tests\/(agent\/)?support\//.test(path) ? 'helpers' : 'support'
}

/** The files and folders of the repository that a source names by a relative path, to read them or to start them. */
function pathsIn(path: string, source: string): string[] {
  const names = [...source.matchAll(/['"`](\.\.?\/[^'"`$\n]*)/g)].map(([, name = '']) => name)
  return names.filter((name) => {
    const target = normalize(join(dirname(path), name))
    return !target.startsWith('..') && existsSync(join(repository, target))
  })
}

/** Describes every path between the repository's parts that breaks a rule: imports, and in the tests of packages what they read. */
function violationsOfParts(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) => {
    const part = partOf(path)
    const own = /^tests of (.*)$/.exec(part)?.[1]
    const rule = own === undefined ? part : 'tests of a package'
    const allowed = [part, `packages/${own}`, ...(partsMayImport[rule] ?? [])]
    const isAllowed = (other: string): boolean =>
      allowed.some((each) => other === each || other.startsWith(`${each}/`))
    const imported = importsOf(path, source).filter((name) => name.startsWith('.'))
    const named = own === undefined ? imported : new Set([...imported, ...pathsIn(path, source)])
    const targets = [...named].map((name) => normalize(join(dirname(path), name)))
    return targets.filter((target) => !isAllowed(partOf(target))).map((target) => `${path} imports ${target}`)
  })
}

/** Whether a file is an entry of a package: `index.ts`, or one beside it. */
const isEntry = (path: string): boolean =>
  /^(packages\/.*|src\/devnet)\/index\.ts$/.test(path) ||
  /^packages\/(casper\/src\/codec|(eia|wattfeed)\/src\/internal)\.ts$/.test(path)

/** Whether a file re-exports. */
const isBarrel = (source: string): boolean =>
  /^export\s+(type\s+)?(\*|\{[^}]*\})\s*(as\s+\w+\s+)?from\s/m.test(source)

const repository = new URL('../', import.meta.url).pathname

function readSources(folder: string): Sources {
  const paths = readdirSync(join(repository, folder), { recursive: true }).map((path) => `${folder}/${path}`)
  // The prover's packages are installed below `src`.
  const files = paths.filter((path) => /\.tsx?$/.test(path) && !path.includes('/node_modules/')).sort()
  return new Map(files.map((path) => [path, readFileSync(join(repository, path), 'utf8')]))
}

/** What a source of an example imports. */
const importedBy = (source: string): string => /'([^']+)'/.exec(source)?.[1] ?? ''

describe('the repository', () => {
  test('default: every part imports only what it may', () => {
    const folders = ['src', 'packages', 'tests', 'bench', 'scripts']
    const sources = new Map(folders.flatMap((folder) => [...readSources(folder)]))
    // The examples in this file are not imports.
    sources.delete('tests/imports.test.ts')
    expect(sources.size).toBeGreaterThan(1_000)
    expect(violationsOfParts(sources)).toEqual([])
  })

  test.each([
    ['src/agent/a.ts', "import { b } from '../../tests/support/b.ts'"],
    ['src/agent/a.ts', "import { b } from '../../packages/wattfeed/src/client/b.ts'"],
    ['packages/wattfeed/src/client/a.ts', "import { b } from '../../../../src/feeds/b.ts'"],
    ['packages/casper-devnet/src/a.ts', "import b from '../../../fixtures/chain/b.wasm'"],
    ['packages/casper-devnet/src/a.ts', "import { b } from '../../../bench/b.ts'"],
    ['packages/casper-devnet/src/a.ts', "import b from '../../../contracts/Cargo.toml'"],
    ['packages/eia/src/a.ts', "import { b } from '../../casper/src/b.ts'"],
    ['packages/eia/src/a.ts', "import { b } from '../../../src/agent/b.ts'"],
    ['scripts/a.ts', "import { b } from '../tests/support/b.ts'"],
    ['tests/support/a.ts', "import { b } from '../../bench/b.ts'"],
    ['tests/support/a.ts', "import { b } from '../b.test.ts'"],
    ['bench/a.ts', "import { b } from '../tests/b.test.ts'"],
    ['packages/eia/src/a.ts', "import { b } from '../../../tests/support/b.ts'"],
    ['packages/eia/src/a.ts', "import { b } from '../tests/b.ts'"],
    ['packages/eia/tests/a.test.ts', "import { b } from '../../../src/agent/b.ts'"],
    ['packages/eia/tests/a.test.ts', "import { b } from '../../../tests/support/b.ts'"],
    ['packages/eia/tests/a.ts', "import { b } from '../../../tests/eia/b.ts'"],
    ['packages/eia/tests/a.ts', "const b = new URL('../../../tests/support', import.meta.url)"],
    ['packages/eia/tests/a.ts', "import { b } from '../../../scripts/b.ts'"],
    ['packages/eia/tests/a.test.ts', "import { b } from '../../casper/src/b.ts'"],
    ['packages/eia/tests/a.test.ts', "import { b } from '../../casper/tests/b.ts'"],
    ['packages/eia/tests/a.test.ts', "import { b } from '../../testing/src/b.ts'"],
    ['packages/testing/src/a.ts', "import { b } from '../../eia/tests/support/b.ts'"],
    ['tests/agent/a.test.ts', "import { b } from '../../packages/eia/tests/b.ts'"],
    ['bench/a.ts', "import { b } from '../scripts/b.ts'"],
  ])('error: %s: %p', (path, source) => {
    const target = join(dirname(path), importedBy(source))
    expect(violationsOfParts(new Map([[path, source]]))).toEqual([`${path} imports ${target}`])
  })
})

describe('the packages', () => {
  test.each(readdirSync(join(repository, 'packages')))(
    'default: %s declares the others that it imports',
    (name) => {
      const own = JSON.parse(readFileSync(join(repository, 'packages', name, 'package.json'), 'utf8'))
      const undeclared = [...readSources(`packages/${name}`)].flatMap(([path, source]) => {
        const isForTests = name === 'testing' || path.startsWith(`packages/${name}/tests/`)
        const declared = { ...own.dependencies, ...(isForTests ? own.devDependencies : {}) }
        // Comments have examples.
        return importsOf(path, source.replaceAll(/^ +\* import.*/gm, ''))
          .flatMap((each) => /^(@wattfeed\/[^/]+|wattfeed)(?=\/|$)/.exec(each)?.[1] ?? [])
          .filter((each) => each !== own.name && !Object.hasOwn(declared, each))
          .map((each) => `${path} imports ${each}`)
      })
      expect(undeclared).toEqual([])
    },
  )

  test('behavior: what their helpers of tests export is used elsewhere', () => {
    const sources = ['packages', 'tests', 'bench', 'scripts'].flatMap((folder) => [...readSources(folder)])
    const files = new Map<string, number>()
    for (const [, source] of sources)
      for (const word of new Set(source.match(/\w+/g))) files.set(word, (files.get(word) ?? 0) + 1)
    const helpers = sources.filter(([path]) =>
      /^packages\/[^/]+\/tests\/support\/(?!.*\.test\.ts)/.test(path),
    )
    const exported = helpers.flatMap(([path, source]) =>
      new Bun.Transpiler({ loader: 'ts' }).scan(source).exports.map((name) => `${path} exports ${name}`),
    )
    expect(exported.length).toBeGreaterThan(100)
    expect(exported.filter((each) => files.get(/\w+$/.exec(each)?.[0] ?? '') === 1)).toEqual([])
  })
})

describe('src and the packages', () => {
  const sources = new Map(['src', ...packageFolders()].flatMap((folder) => [...readSources(folder)]))

  test('default: every file imports only what its room may', () => {
    expect(sources.size).toBeGreaterThan(900)
    expect(violations(sources)).toEqual([])
  })

  test('behavior: no two folders import each other, at any depth', () => {
    expect(mutualImports(sources)).toEqual([])
  })

  test('behavior: docs/architecture.md lists each room below those that it may import', () => {
    const page = readFileSync(join(repository, 'docs/architecture.md'), 'utf8')
    const [, section = ''] = /^Below `src`:\n(.*?)^## /ms.exec(page) ?? []
    const table = section.match(/^\| `[^|]*/gm) ?? []
    const listed = table.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    const absent = Object.keys(mayImport).filter((room) => !listed.includes(room))
    const below = Object.entries(mayImport).flatMap(([room, others]) =>
      others
        .filter((other) => listed.indexOf(other) > listed.indexOf(room))
        .map((other) => `${room} is above ${other}`),
    )
    expect([...absent, ...below]).toEqual([])
  })

  test('behavior: every import of a file exists', () => {
    const missing = [...sources].flatMap(([path, source]) =>
      importsOf(path, source)
        .filter((name) => name.startsWith('.') && !existsSync(join(repository, dirname(path), name)))
        .map((name) => `${path} imports ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('behavior: what decides goes by EIA’s dates, not by what a period covers', () => {
    const deciding =
      /^(src\/(agent|demo|feeds\/(file|status\/(gaps|punctuality)))|packages\/wattfeed\/src\/provenance|packages\/eia\/src\/(calendar|period\.ts|series|listRows|inspect))/
    const names = /\b(coverageOf|endsOf|leadOf)\b/
    const covering = [...sources].flatMap(([path, source]) => (names.test(source) ? [path] : []))
    expect(covering.length).toBeGreaterThan(5)
    expect(covering.filter((path) => deciding.test(path))).toEqual([])
  })

  test('behavior: what the application imports is among its dependencies, not only its tools', () => {
    const imported = [...sources].flatMap(([path, source]) => {
      if (!path.startsWith('src/')) return []
      const loader = path.endsWith('.tsx') ? 'tsx' : 'ts'
      return new Bun.Transpiler({ loader }).scanImports(source).map((each) => each.path)
    })
    const names = imported
      // The transpiler takes JSX for React's; it is Preact's.
      .filter((name) => !/^(\.|node:|bun($|:)|react($|\/))/.test(name))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
    expect(new Set(names).size).toBeGreaterThan(30)
    expect([...new Set(names)].filter((name) => !Object.hasOwn(manifest.dependencies, name))).toEqual([])
  })

  test('behavior: each room exists, and has a line', () => {
    const rooms = new Set([...sources.keys()].map(roomOf))
    const listed = [...Object.keys(mayImport), ...Object.keys(inPackages)]
    expect(listed.filter((room) => !rooms.has(room))).toEqual([])
  })
})

function packageFolders(): string[] {
  const folders = readdirSync(join(repository, 'packages')).map((name) => `packages/${name}/src`)
  // packages/cli has only the starter.
  return folders.filter((folder) => existsSync(join(repository, folder)))
}

describe('the checker', () => {
  const check = (path: string, source: string): string[] => violations(new Map([[path, source]]))

  const broken = [
    ['packages/casper/src/proof/a.ts', "import { b } from '../rpc/b.ts'"],
    ['packages/casper/src/rpc/a.ts', "import type { B } from '../odra/b.ts'"],
    ['packages/casper/src/state/a.ts', "import { b } from '../transaction/b.ts'"],
    ['packages/casper/src/state/a.ts', "import { Key } from 'casper-js-sdk'\nKey"],
    ['packages/casper/src/transaction/a.ts', "import { b } from '../sqlite/b.ts'"],
    ['packages/casper/src/transaction/a.ts', "import { b } from '@wattfeed/base/disk'\nb"],
    ['packages/base/src/bytes/a.ts', "import { b } from '../disk/b.ts'"],
    ['packages/base/src/bytes/a.ts', "import { readFileSync } from 'node:fs'\nreadFileSync"],
    ['packages/eia/src/a.ts', "import { Database } from 'bun:sqlite'\nDatabase"],
    ['src/agent/a.ts', "import { b } from '../operator/b.ts'"],
    ['packages/wattfeed/src/registry/a.ts', "export type C = import('../client/b.ts').B"],
    ['src/api/a.ts', "import {\n  type B,\n  c,\n} from '../server/b.ts'\nc()"],
    ['packages/wattfeed/src/client/a.ts', "import '../live/b.ts'"],
    ['packages/wattfeed/src/client/a.ts', "const b = await import('../history/b.ts')"],
    ['packages/wattfeed/src/live/a.ts', "import { b } from '../internal.ts'"],
    ['src/api/a.ts', "import { b } from '../index.ts'"],
    ['packages/wattfeed/src/client/a.ts', "import { readFileSync } from 'node:fs'\nreadFileSync"],
    ['packages/wattfeed/src/client/a.ts', "import { $ } from 'bun'\n$"],
    ['packages/wattfeed/src/client/a.ts', "import { b } from '@wattfeed/casper/sqlite'\nb"],
    ['packages/wattfeed/src/registry/a.ts', "import type { Elysia } from 'elysia'"],
    ['src/feeds/catalog/a.ts', "import { b } from '../../agent/b.ts'"],
    ['src/feeds/catalog/a.ts', "import { b } from '../file/b.ts'"],
    ['src/feeds/file/a.ts', "import { b } from '../../agent/b.ts'"],
    ['src/feeds/catalog/a.ts', "import { readFileSync } from 'node:fs'\nreadFileSync"],
    ['src/server/a.ts', "import { b } from '../agent/b.ts'"],
    ['src/server/a.ts', "import { b } from '../feeds/file/b.ts'"],
    ['src/server/a.ts', "import { b } from '../web/explorer/b.tsx'"],
    ['src/server/a.ts', "import { b } from '@wattfeed/casper/transaction'\nb"],
    ['src/agent/a.ts', "import { b } from '@wattfeed/casper-devnet'\nb"],
    ['src/demo/a.ts', "import { b } from '@wattfeed/casper-devnet/testing/b'\nb"],
    ['src/server/a.ts', "import type { B } from 'wattfeed/testing/b'"],
    ['packages/eia/src/a.ts', "import { b } from '@wattfeed/testing/b'\nb"],
    ['src/agent/a.ts', "import { b } from '../devnet/b.ts'"],
    ['src/devnet/a.ts', "import { b } from '../agent/b.ts'"],
    ['src/runtime/a.ts', "import { b } from '../server/b.ts'"],
    ['src/runtime/a.ts', "import { b } from '../agent/b.ts'"],
    ['src/index.ts', "import { b } from './agent/b.ts'"],
    ['src/index.ts', "import { b } from './server/b.ts'"],
    ['src/serve.ts', "import { b } from './agent/b.ts'"],
    ['src/agent.ts', "import { b } from './server/b.ts'"],
    ['src/feeds.ts', "import { b } from './devnet/b.ts'"],
    ['src/web/explorer/a.tsx', "import { b } from '../../server/b.ts'"],
    ['src/web/explorer/a.tsx', "import { readFileSync } from 'node:fs'\nreadFileSync"],
  ] as const
  test.each(broken)('error: %s: %p', (path, source) => {
    expect(check(path, source)).toEqual([`${path} imports ${importedBy(source)}`])
  })

  const others: [string, string, string][] = [
    ['src/helpers/a.ts', '', 'is in no room and no entry'],
    ['src/main.ts', '', 'is in no room and no entry'],
    ['packages/casper/src/odra/all.ts', "export * from './a.ts'", 'only gathers exports'],
    ['src/agent/index.ts', "export { a } from './a.ts'", 'only gathers exports'],
    ['src/agent/index.ts', "export type {\n  A,\n  B,\n} from './a.ts'", 'only gathers exports'],
  ]
  test.each(others)('error: %s: %p: %s', (path, source, violation) => {
    expect(check(path, source)).toEqual([`${path} ${violation}`])
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
      [
        'packages/wattfeed/src/client/a.ts',
        "import { b } from '@wattfeed/base'\nimport { c } from '../registry/c.ts'\nb, c",
      ],
      [
        'packages/wattfeed/src/client/index.ts',
        "export { a } from './a.ts'\nexport { b } from '@wattfeed/base'",
      ],
      [
        'packages/wattfeed/src/client/c.ts',
        "import pLimit from 'p-limit'\n// import { x } of '../server/x.ts'\npLimit",
      ],
      ['src/server/a.ts', "import { a } from 'wattfeed'\nimport { Elysia } from 'elysia'\na, Elysia"],
      ['src/server/b.ts', "import { datasets } from '@wattfeed/eia/catalog'\ndatasets"],
      [
        'src/agent/a.ts',
        "import { createDurableSender } from '@wattfeed/casper/transaction'\ncreateDurableSender",
      ],
      ['src/runtime/a.ts', "import pino from 'pino'\nimport { a } from 'wattfeed'\npino, a"],
      ['src/agent/c.ts', "import { a } from '../runtime/a.ts'\na"],
      ['src/index.ts', "const a = await import('./agent.ts')\na"],
      ['src/serve.ts', "import { a } from './server/a.ts'\na"],
      ['packages/casper/src/odra/a.ts', "import { b } from '../state/b.ts'\nb"],
      ['packages/casper/src/sqlite/a.ts', "import { b } from 'bun:sqlite'\nb"],
    ])
    expect(violations(sources)).toEqual([])
  })
})
