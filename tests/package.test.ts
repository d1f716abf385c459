import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import network from '../fixtures/chain/network.json'
import manifest from '../package.json' with { type: 'json' }
import { bundleClient } from '../scripts/bundleClient.ts'
import type { FeedProof, FeedProofTrust } from '../src/client/index.ts'
import * as library from '../src/client/index.ts'
import { startRecordedNode } from '../src/demo/recordedNode.ts'
import { WTI } from './devnet/rules/world.ts'
import { snippetsOf } from './support/snippets.ts'
import { createServedProof } from './verify/runningServer.ts'
import { tamperWith } from './verify/tamperedProofs.ts'

const root = join(import.meta.dir, '..')
const MAX_GZIPPED_BYTES = 25_000
const MAX_VERIFYING_BYTES = 60_000
const MAX_ENTRY_BYTES = 6_000

let project: string
let tarball: string
let node: Awaited<ReturnType<typeof startRecordedNode>>

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'wattfeed-package-'))
  node = await startRecordedNode()
  // Somebody who packs has Node.js, and perhaps no Bun.
  const bin = await mkdtemp(join(project, 'bin-'))
  for (const program of ['node', 'npm', 'npx', 'sh', 'env'])
    await symlink(Bun.which(program) ?? program, join(bin, program))
  await $`npm pack --silent --pack-destination ${project}`
    .cwd(root)
    .env({ ...process.env, PATH: bin, npm_config_prefer_offline: 'true' })
    .quiet()
  const [packed = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'))
  tarball = join(project, packed)
  await Bun.write(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await $`npm install --offline --no-audit --no-fund --loglevel=error ${tarball}`.cwd(project).quiet()
}, 300_000)

afterAll(async () => {
  await node.stop()
  await rm(project, { recursive: true, force: true })
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
  /** What a linter of packages has to say, and how it ended. */
  async function lint(command: ReturnType<typeof $>): Promise<{ exitCode: number; output: string }> {
    const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
    const { exitCode, stdout, stderr } = await command
      .env({ ...process.env, PATH, FORCE_COLOR: '0' })
      .nothrow()
      .quiet()
    return { exitCode, output: `${stdout}${stderr}` }
  }

  test('default: publint has nothing to say', async () => {
    expect(await lint($`publint run ${tarball} --strict`)).toEqual({
      exitCode: 0,
      output: expect.stringContaining('All good!'),
    })
  })

  test('default: are the types wrong? no, however they are resolved', async () => {
    // There are ES modules only: `require` reaches them in a Node.js that can load such.
    expect(await lint($`attw ${tarball} --ignore-rules cjs-resolves-to-esm`)).toEqual({
      exitCode: 0,
      output: expect.stringContaining('No problems found'),
    })
  })

  test('default: carries its licence', async () => {
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
      'AllNodesFailedError',
      'ChainNameMismatchError',
      'DeadlineError',
      'DecodeError',
      'HiddenValueError',
      'InvalidArgumentError',
      'JsonRpcError',
      'LaggingNodeError',
      'MerkleProofError',
      'PackageNotFoundError',
      'ProofBusyError',
      'StaleNodeError',
      'TransportError',
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

  test('behavior: each error class is one object, whichever of its files throws', async () => {
    const { outputs } = await bundleClient()
    const texts = await Promise.all(outputs.map((file) => file.text()))
    const names = Object.keys(library).filter((name) => name.endsWith('Error'))
    expect(names.length).toBeGreaterThan(10)
    for (const name of names)
      expect([name, texts.join().split(`static name = "${name}"`).length - 1]).toEqual([name, 1])
    // What checks a proof is loaded when it is first called.
    const check =
      "wattfeed.verifyFeedProof({}, { ...wattfeed.casperTest, trustedBlockHash: '00'.repeat(32) })"
    expect(await runInNode(`await ${check}.catch((error) => error instanceof wattfeed.DecodeError)`)).toBe(
      true,
    )
  })

  test('behavior: tells its version to who asks for it', async () => {
    await Bun.write(
      join(project, 'version.js'),
      "import manifest from 'wattfeed/package.json' with { type: 'json' }\nconsole.log(manifest.version)",
    )
    const version = await $`node version.js`.cwd(project).text()
    expect(version).toBe(`${manifest.version}\n`)
  })

  test('behavior: pulls in no other package', async () => {
    const installed = await readdir(join(project, 'node_modules'))
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['wattfeed'])
  })

  const readsAFeed = `
import { createClient, type Fetch, type Reading } from 'wattfeed'
const reading: Reading | null = await createClient().getReading('id')
export const amount: bigint | undefined = reading?.amount
// @ts-expect-error: a feed id is text
await createClient().getReading(1)
`
  // A project that knows no runtime's types has a `fetch` of its own, or none that it could name.
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
// @ts-expect-error: a text is no answer
createClient({ fetch: async () => '' })
`

  /** What the compiler has to say, the package's own declarations included, though not those of the language. */
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

  // The resolution `node10` of older compilers knows no `exports`.
  test('behavior: what reads no `exports` finds the same files', async () => {
    const { main, types, exports } = await Bun.file(
      join(project, 'node_modules/wattfeed/package.json'),
    ).json()
    expect({ types, default: main }).toEqual(exports['.'])
    for (const file of [main, types])
      expect(await Bun.file(join(project, 'node_modules/wattfeed', file)).exists()).toBe(true)
  })
})

describe('the packed package in a project of somebody who writes contracts', () => {
  const run = (command: ReturnType<typeof $>) => command.cwd(contracts()).nothrow().quiet()
  const contracts = () => join(project, 'contracts')

  beforeAll(async () => {
    const [example = ''] = snippetsOf('docs/devnet.md', 'ts')
    await Bun.write(join(contracts(), 'package.json'), JSON.stringify({ type: 'module', private: true }))
    await Bun.write(join(contracts(), 'tests/price.test.ts'), example)
    await Bun.write(join(contracts(), 'my_contract.wasm'), Bun.file(join(root, 'fixtures/chain/gate.wasm')))
    await $`npm install --offline --no-audit --no-fund --loglevel=error ${tarball}`.cwd(contracts()).quiet()
    // From here, because a test has no network.
    for (const name of ['casper-js-sdk', 'bun-types'])
      await symlink(join(root, 'node_modules', name), join(contracts(), 'node_modules', name))
  })

  test('default: the example of docs/devnet.md passes', async () => {
    const { exitCode, stderr } = await run($`${process.execPath} test --timeout 300000`)
    expect({ exitCode, stderr: stderr.toString() }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(' 2 pass\n 0 fail\n'),
    })
  })

  for (const module of ['nodenext', 'preserve'])
    test(`behavior: it checks in strict TypeScript (${module})`, async () => {
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const options = `--strict --noEmit --skipDefaultLibCheck --checkers 1 --target esnext --lib esnext,dom --types bun-types --module ${module}`
      const checked = await run($`node ${tsc} ${options.split(' ')} tests/price.test.ts`)
      // The runtime's own types do not check without skipLibCheck.
      const faults = checked.stdout.toString().split('\n')
      expect(faults.filter((line) => line !== '' && !line.includes('/bun-types/'))).toEqual([])
    })

  test('error: in Node.js it is not there, rather than broken', async () => {
    const { stderr } = await run($`node -e ${"import('wattfeed/devnet')"}`)
    expect(stderr.toString()).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})

describe('a proof that a running server has served, in Node.js, when nobody is there any more', () => {
  let proof: FeedProof
  let trust: FeedProofTrust

  beforeAll(async () => {
    ;({ proof, trust } = await createServedProof())
  }, 300_000)

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

  test('error: a tampered copy is refused, and the link named', async () => {
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

const gzippedBytes = async (file: Blob): Promise<number> =>
  Bun.gzipSync(new Uint8Array(await file.arrayBuffer()), { level: 9 }).length

test('behavior: minified and gzipped, what is loaded at once is at most 25 kB', async () => {
  const { outputs } = await bundleClient({ minify: true })
  const atOnce = outputs.filter(({ kind }) => kind === 'entry-point')
  for (const file of atOnce) {
    const text = await file.text()
    const imported = outputs.filter(({ path }) => text.includes(`from"${path}"`))
    atOnce.push(...imported.filter((output) => !atOnce.includes(output)))
  }
  const sizes = await Promise.all(atOnce.map(gzippedBytes))
  expect(atOnce.length).toBeLessThan(outputs.length)
  expect(sizes.reduce((sum, size) => sum + size)).toBeWithin(1_000, MAX_GZIPPED_BYTES)
})

test('behavior: minified and gzipped, one file with verification is at most 60 kB', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'src/client/index.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  const [file] = outputs
  expect(outputs).toHaveLength(1)
  expect(await gzippedBytes(file ?? new Blob())).toBeWithin(MAX_GZIPPED_BYTES, MAX_VERIFYING_BYTES)
})

test.each(['history', 'live'])(
  'behavior: minified and gzipped, wattfeed/%s is at most 6 kB',
  async (name) => {
    const { outputs } = await Bun.build({
      entrypoints: [join(root, `src/${name}/index.ts`)],
      target: 'browser',
      format: 'esm',
      minify: true,
    })
    expect(await gzippedBytes(outputs[0] ?? new Blob())).toBeWithin(1_000, MAX_ENTRY_BYTES)
  },
)
