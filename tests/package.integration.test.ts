import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { $ } from 'bun'
import { build } from 'esbuild'
import * as vite from 'vite'
import type { FeedProof, FeedProofTrust } from 'wattfeed'
import { WTI } from 'wattfeed/testing/world'
import network from '../fixtures/chain/network.json'
import manifest from '../package.json' with { type: 'json' }
import { createServedProof } from './operator/verify/runningServer.ts'
import { tamperWith } from './operator/verify/tamperedProofs.ts'
import { describePackage, lintTarball, packLibrary } from './support/packages.ts'
import { readPage, snippetsOf } from './support/snippets.ts'

const root = join(import.meta.dir, '..')
const MAX_CORE_BYTES = 25_300
/** With all parts that load on demand: verification, proofs of absence and of complete lists, and the search for transactions. */
const MAX_BYTES = 82_000

let folder: Folder
let project: string
let tarball: string
let node: Awaited<ReturnType<typeof startRecordedNode>>

beforeAll(async () => {
  folder = createFolder()
  project = folder.path
  node = await startRecordedNode()
  const tarballs = await packLibrary(project)
  tarball = tarballs[0] ?? ''
  await Bun.write(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await $`npm install --offline --no-audit --no-fund --loglevel=error ${tarballs}`.cwd(project).quiet()
})

afterAll(async () => {
  await node.stop()
  folder[Symbol.dispose]()
})

const reader = (expression: string) => `
import * as wattfeed from 'wattfeed'
const client = wattfeed.createClient({
  rpcUrls: [${JSON.stringify(node.url)}],
  chainName: ${JSON.stringify(network.chain_name)},
  feedRegistryPackageHash: ${JSON.stringify(network.feed_registry_package)},
  attestationRegistryPackageHash: ${JSON.stringify(network.attestation_registry_package)},
})
console.log(JSON.stringify(${expression}, (_, value) => typeof value === 'bigint' ? value + 'n' : value))
`

async function runInNode(expression: string): Promise<unknown> {
  await Bun.write(join(project, 'read.js'), reader(expression))
  return JSON.parse(await $`node read.js`.cwd(project).text())
}

describe('the packed package', () => {
  test('default: publint and attw find nothing', async () => {
    expect(await lintTarball(tarball)).toEqual([])
  })

  test('behavior: names no folder of the machine that built it', async () => {
    const installed = join(project, 'node_modules/wattfeed')
    const { stdout } = await $`grep -rlF ${root} ${installed}`.nothrow().quiet()
    expect(stdout.toString()).toBe('')
  })

  test('default: is the library alone, and at most 2 MB unpacked', async () => {
    const { unpackedSize, files } = await describePackage(tarball)
    expect(unpackedSize).toBeWithin(200_000, 2_000_000)
    const folders = files.map((path) => /^dist\/\w+|^types\/\w+\/[\w-]+/.exec(path)?.[0])
    expect([...new Set(folders)].filter((each) => each !== undefined).sort()).toEqual([
      ...['chunks', 'client', 'history', 'live', 'provenance', 'series'].map((name) => `dist/${name}`),
      ...['base', 'casper', 'dataset', 'eia', 'wattfeed'].map((name) => `types/packages/${name}`),
    ])
    const { bin, exports } = await Bun.file(join(project, 'node_modules/wattfeed/package.json')).json()
    expect(bin).toBeUndefined()
    expect(Object.keys(exports)).toEqual([
      '.',
      './history',
      './live',
      './provenance',
      './series',
      './package.json',
    ])
  })

  test('default: carries its license', async () => {
    const installed = join(project, 'node_modules/wattfeed')
    const { license } = await Bun.file(join(installed, 'package.json')).json()
    expect(license).toBe('MIT')
    expect(await Bun.file(join(installed, 'LICENSE')).text()).toStartWith('MIT License\n')
  })
})

describe('the packed package in an empty Node.js project', () => {
  test('default: reads a feed', async () => {
    expect(await runInNode(`await client.getReading('EIA.PET.PRICE.WTI.DAILY')`)).toMatchObject({
      feed_id: 'EIA.PET.PRICE.WTI.DAILY',
      amount: expect.stringMatching(/^\d+n$/),
    })
  })

  test('behavior: lists every live feed', async () => {
    expect(await runInNode('(await client.listReadings()).length')).toBe(42)
  })

  test('behavior: pages through a history with wattfeed/history', async () => {
    const newest = `(await (await import('wattfeed/history')).createHistory(client)
      .page('EIA.PET.PRICE.WTI.DAILY', { order: 'desc', limit: 1 }))`
    expect(await runInNode(newest)).toMatchObject({ count: 4, items: [{ index: 3, amount: '70040000n' }] })
  })

  test('behavior: watches from a position on with wattfeed/live', async () => {
    const first = `(await (await import('wattfeed/live')).watch(client).next()).value`
    expect(await runInNode(first)).toEqual({
      event: 'position',
      position: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}[.]f\d+[.]a\d+$/),
    })
    const resumed = `(await (await import('wattfeed/live')).watch(client, { from: (${first}).position.replace(/-[0-9a-f]*[.].*/, '-00000000.f0.a0') }).next()).value`
    expect(await runInNode(resumed)).toMatchObject({ event: 'feed', data: { log_index: 0, value: null } })
  })

  test('behavior: exports the client library and nothing else', async () => {
    expect(await runInNode('Object.keys(wattfeed).sort()')).toEqual([
      'AbsenceNotProvenError',
      'AllNodesFailedError',
      'ChainNameMismatchError',
      'CountContradictedError',
      'DeadlineError',
      'DecodeError',
      'HiddenValueError',
      'InvalidArgumentError',
      'JsonRpcError',
      'LaggingNodeError',
      'MerkleProofError',
      'NodesDisagreeError',
      'PackageNotFoundError',
      'ProofBusyError',
      'StaleNodeError',
      'StateNotKeptError',
      'TransactionNotFoundError',
      'TransportError',
      'UnsupportedAccountError',
      'VerificationError',
      'WattfeedError',
      'casperTest',
      'createClient',
      'readingToJson',
      'verifyFeedProof',
    ])
  })

  test('behavior: wattfeed/live exports how to watch and nothing else', async () => {
    expect(await runInNode(`Object.keys(await import('wattfeed/live')).sort()`)).toEqual([
      'InvalidArgumentError',
      'PositionAheadError',
      'StreamError',
      'WattfeedError',
      'formatPosition',
      'parsePosition',
      'watch',
      'watchServer',
    ])
  })

  test('behavior: --version prints its version', async () => {
    await Bun.write(
      join(project, 'version.js'),
      "import manifest from 'wattfeed/package.json' with { type: 'json' }\nconsole.log(manifest.version)",
    )
    const version = await $`node version.js`.cwd(project).text()
    expect(version).toBe(`${manifest.version}\n`)
  })

  test('behavior: pulls in the few packages that it declares, and theirs', async () => {
    const installed = await readdir(join(project, 'node_modules'))
    expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual([
      '@noble',
      'p-limit',
      'wattfeed',
      'yocto-queue',
    ])
  })

  test('behavior: holds every file that a page of it links to', async () => {
    const installed = join(project, 'node_modules/wattfeed')
    const pages = ['*.md', 'docs/*.md'].flatMap((glob) => [...new Bun.Glob(glob).scanSync(installed)])
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(installed, page), 'utf8')
      return [...text.matchAll(/\]\((?!\w+:)([^)#\s]+)/g)].map(([, path = '']) => join(dirname(page), path))
    })
    expect(pages.length).toBeGreaterThan(30)
    expect(links.length).toBeGreaterThan(200)
    expect(links.filter((path) => !existsSync(join(installed, path)))).toEqual([])
    // The reference leads to the declarations.
    expect(links).toContain('types/packages/wattfeed/src/history/index.d.ts')
  })

  const readsAFeed = `
import { createClient, type Fetch, type Reading } from 'wattfeed'
const reading: Reading | null = await createClient().getReading('id')
export const amount: bigint | undefined = reading?.amount
// @ts-expect-error: a feed id is text
await createClient().getReading(1)
`
  // A project without a runtime's types has its own `fetch` type, or none.
  const ownFetch = `
export const own: Fetch = async (url, { method, headers, body, signal }) => ({
  ok: !signal.aborted,
  status: url.length,
  headers: { get: (name) => headers[name] ?? null },
  body: null,
  text: async () => method + body,
})
`
  const globalFetch = `
export const global: Fetch = globalThis.fetch
createClient({ fetch: (url, init) => fetch(url, { ...init, credentials: 'omit' }) })
createClient({ fetch: async () => new Response('{}') })
// @ts-expect-error: a text is not an answer
createClient({ fetch: async () => '' })
`

  /** The compiler's messages, including the package's own declarations, but not those of the language. */
  async function typeCheck(source: string, lib: string, module: 'nodenext' | 'preserve'): Promise<string> {
    await Bun.write(join(project, 'read.ts'), source)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = [
      '--strict',
      '--noEmit',
      '--skipDefaultLibCheck',
      '--checkers',
      '1',
      '--target',
      'esnext',
      '--types',
      '',
      '--lib',
      lib,
      '--module',
      module,
    ]
    return (await $`node ${tsc} ${options} read.ts`.cwd(project).nothrow().quiet()).stdout.toString()
  }

  for (const module of ['nodenext', 'preserve'] as const) {
    test(`behavior: its types check in strict TypeScript without the types of any runtime (${module})`, async () => {
      expect(await typeCheck(readsAFeed + ownFetch, 'esnext', module)).toBe('')
    })

    test(`behavior: they check beside the DOM's, whose fetch fits (${module})`, async () => {
      expect(await typeCheck(readsAFeed + globalFetch, 'esnext,dom', module)).toBe('')
    })
  }

  // The resolution `node10` of older compilers ignores `exports`.
  test('behavior: tools that do not read `exports` find the same files', async () => {
    const { main, types, exports } = await Bun.file(
      join(project, 'node_modules/wattfeed/package.json'),
    ).json()
    expect({ types, default: main }).toEqual(exports['.'])
    for (const file of [main, types])
      expect(await Bun.file(join(project, 'node_modules/wattfeed', file)).exists()).toBe(true)
  })
})

describe('a proof of a server, verified in Node.js after the server has stopped', () => {
  let proof: FeedProof
  let trust: FeedProofTrust

  beforeAll(async () => {
    ;({ proof, trust } = await createServedProof())
  })

  const verifier = `
import { readFileSync } from 'node:fs'
import { verifyFeedProof } from 'wattfeed'
globalThis.fetch = () => { throw new Error('this is to be checked offline') }
const { proofs, trust } = JSON.parse(readFileSync(0, 'utf8'))
const checks = []
for (const proof of proofs) checks.push(await verifyFeedProof(proof, trust))
console.log(JSON.stringify(checks.map(({ reading, links }) => [reading?.value ?? null, links.at(-1)])))
`
  async function verifyInNode(proofs: readonly unknown[], by = trust): Promise<unknown> {
    await Bun.write(join(project, 'verify.js'), verifier)
    const input = new Blob([JSON.stringify({ proofs, trust: by })])
    return JSON.parse(await $`node verify.js < ${input}`.cwd(project).text())
  }

  test('default: is verified', async () => {
    const detail = expect.stringContaining(`${WTI} = 59.91`)
    expect(await verifyInNode([proof])).toEqual([[59.91, { link: 'reading', holds: true, detail }]])
  })

  test('error: a tampered copy is rejected, and the link named', async () => {
    const tampered = tamperWith(proof)
    expect(await verifyInNode(tampered.map((each) => each.proof))).toEqual(
      tampered.map(({ link }) => [
        null,
        { link: expect.stringContaining(link), holds: false, detail: expect.any(String) },
      ]),
    )
  })

  test('error: another trusted block', async () => {
    const other = { ...trust, trustedBlockHash: 'ab'.repeat(32) }
    expect(await verifyInNode([proof], other)).toEqual([
      [null, { link: 'trusted block', holds: false, detail: expect.any(String) }],
    ])
  })
})

describe('an error of any entry', () => {
  /** Prints the classes of wattfeed that an error of each entry is an instance of. */
  const program = `
import * as wattfeed from 'wattfeed'
import { createHistory } from 'wattfeed/history'
import { watch, WattfeedError } from 'wattfeed/live'
import { parseRecipe, parseEiaRows } from 'wattfeed/provenance'
const client = wattfeed.createClient()
const trust = { ...wattfeed.casperTest, trustedBlockHash: '00'.repeat(32) }
const errors = await Promise.all([
  async () => wattfeed.createClient({ timeoutMs: 0 }),
  async () => wattfeed.verifyFeedProof({}, trust),
  async () => createHistory(client).page(7),
  async () => watch(client, { from: 'nowhere' }).next(),
  async () => parseEiaRows('{}', {}),
].map((work) => work().then(() => null, (error) => error)))
console.log(JSON.stringify(errors.map((error) => [
  error?.name,
  error instanceof wattfeed.WattfeedError && error instanceof WattfeedError,
  error instanceof wattfeed.InvalidArgumentError,
])))
`
  const expected = [
    ['InvalidArgumentError', true, true],
    ['DecodeError', true, false],
    ['InvalidArgumentError', true, true],
    ['InvalidArgumentError', true, true],
    ['EiaUnexpectedError', true, false],
  ]

  beforeAll(async () => {
    await Bun.write(join(project, 'errors.js'), program)
  })

  test('default: is a WattfeedError of every other in Node.js', async () => {
    expect(JSON.parse(await $`node errors.js`.cwd(project).text())).toEqual(expected)
  })

  test('default: is a WattfeedError of every other in Bun', async () => {
    expect(JSON.parse(await $`${process.execPath} errors.js`.cwd(project).text())).toEqual(expected)
  })

  test('default: is a WattfeedError of every other when built with Vite', async () => {
    await vite.build({
      root: project,
      configFile: false,
      logLevel: 'silent',
      build: { lib: { entry: 'errors.js', formats: ['es'], fileName: 'errors' }, outDir: 'vite' },
    })
    expect(JSON.parse(await $`node vite/errors.js`.cwd(project).text())).toEqual(expected)
  })
})

describe("the size in a user's bundle, minified and gzipped with all dependencies", () => {
  /** Bundles a program and returns the number of bytes that load initially, and in total. */
  async function sizesOf(
    source: string,
    { splitting = true }: { splitting?: boolean } = {},
  ): Promise<{ atOnce: number; all: number }> {
    const { outputFiles, metafile } = await build({
      stdin: { contents: source, resolveDir: project },
      bundle: true,
      minify: true,
      splitting,
      format: 'esm',
      outdir: project,
      absWorkingDir: project,
      write: false,
      metafile: true,
    })
    const bytes = new Map(
      outputFiles.map(({ path, contents }) => [
        path.slice(project.length + 1),
        Bun.gzipSync(new Uint8Array(contents), { level: 9 }).length,
      ]),
    )
    const eager = new Set(['stdin.js'])
    for (const path of eager)
      for (const { path: target, kind } of metafile.outputs[path]?.imports ?? [])
        if (kind === 'import-statement') eager.add(target)
    const sum = (paths: Iterable<string>) =>
      [...paths].reduce((total, path) => total + (bytes.get(path) ?? 0), 0)
    return { atOnce: sum(eager), all: sum(bytes.keys()) }
  }

  test('default: at most 25.3 kB at once, and 82 kB with all parts that load on demand', async () => {
    const { atOnce, all } = await sizesOf("export * from 'wattfeed'")
    expect(atOnce).toBeWithin(1_000, MAX_CORE_BYTES)
    expect(all).toBeWithin(atOnce, MAX_BYTES)
  })

  test('default: README.md has the sizes of its own program, in kilobytes rounded up', async () => {
    const [program = ''] = snippetsOf('README.md', 'ts')
    const shown = /(\d+) kB to a bundle with code\s+splitting, (\d+) kB in one file/.exec(
      readPage('README.md'),
    )
    const [inParts, inOne] = [await sizesOf(program), await sizesOf(program, { splitting: false })]
    const kilobytes = [inParts.atOnce, inOne.all].map((bytes) => Math.ceil(bytes / 1_000))
    expect(shown?.slice(1).map(Number)).toEqual(kilobytes)
  })

  // A series takes one more, for the forms of its periods and for its ranges. Programs without them leave out five for tables, and two for
  // the arguments of contracts.
  test.each([
    ['history', 6],
    ['live', 6],
    ['series', 17],
  ])('behavior: wattfeed/%s adds at most %d kB', async (name, kilobytes) => {
    const core = await sizesOf("export * from 'wattfeed'")
    const both = await sizesOf(`export * from 'wattfeed'\nexport * as more from 'wattfeed/${name}'`)
    expect(both.all - core.all).toBeWithin(1_000, 1_000 * kilobytes)
  })
})
