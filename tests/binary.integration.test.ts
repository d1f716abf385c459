import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startDevnet } from '@wattfeed/casper-devnet'
import { defaultProtocol } from '@wattfeed/casper-devnet/testing/internals'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import expectedReadings from '../fixtures/chain/expected-readings.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { explorerFiles } from '../src/server/pages/explorerFiles.ts'
import { modelTable, readTable } from './operator/export/exported.ts'
import { installedPackages, MARK, makeHostileFolder } from './server/hostileFolder.ts'
import { binary, removeBinaries } from './support/binary.ts'
import { type Ended, type Program, runToEnd, startProgram } from './support/program.ts'
import { readParquet } from './tables/readParquet.ts'
import { openPage } from './web/explorer/support/openPage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
let folder: Folder
let server: Program

const hostile = () => join(folder.path, 'hostile')
const get = (path: string) => fetch(`${server.url}${path}`)

interface Registries {
  chainName: string
  feedRegistryPackageHash: string
  attestationRegistryPackageHash: string
}

/** The settings of a program that reads a chain from a node. */
const chainSettings = (url: string, chain: Registries) => ({
  CASPER_RPC_URL: url,
  CASPER_CHAIN_NAME: chain.chainName,
  FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash.replace(/^hash-/, ''),
})

/** Runs the binary to its end in the hostile folder. */
const run = (args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> =>
  runToEnd([binary, ...args], { HOME: hostile(), ...settings }, hostile())

test('behavior: earlier binaries are removed, and nothing beside them', () => {
  using kept = createFolder()
  mkdirSync(join(kept.path, 'ab'.repeat(32)))
  for (const name of ['lock.sqlite', 'verifier', 'verifier.0b1c']) kept.write(name, '')
  removeBinaries(kept.path)
  expect(readdirSync(kept.path).sort()).toEqual(['lock.sqlite', 'verifier', 'verifier.0b1c'])
})

// The binary of the image, started without any file of the repository, among files that try to run.
describe('the binary, built from the files that the Dockerfile copies', () => {
  beforeAll(async () => {
    folder = createFolder()
    makeHostileFolder(hostile(), installedPackages(root))
    const settings = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', HOME: hostile() }
    server = await startProgram([binary], settings, hostile())
  })

  afterAll(() => {
    server?.kill()
    folder[Symbol.dispose]()
  })

  test('default: logs its address', () => {
    expect(server.firstLine).toMatch(/^wattfeed listens on http:\/\/localhost:[1-9]\d*$/)
  })

  test('default: is healthy, with the catalog inside', async () => {
    expect(await (await get('/health')).json()).toEqual({ status: 'ok', service: 'wattfeed', datasets: 232 })
    expect((await (await get('/v1/datasets')).json()).total).toBe(232)
  })

  test('default: documentation, with the script and the style inside', async () => {
    expect((await (await get('/openapi/json')).json()).info.title).toBe('wattfeed')
    expect(await (await get('/openapi/swagger-ui-bundle.js')).text()).toContain('SwaggerUIBundle')
    expect(await (await get('/openapi/swagger-ui.css')).text()).toContain('.swagger-ui')
  })

  test('default: tools for language models, over HTTP and on standard input', async () => {
    const http = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`))
    const stdio = new StdioClientTransport({ command: binary, args: ['mcp'], cwd: hostile(), env: {} })
    for (const transport of [http, stdio]) {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(transport)
      expect((await client.listTools()).tools).toHaveLength(6)
      const search = { name: 'search_datasets', arguments: { query: 'coal' } }
      expect((await client.callTool(search)).isError).toBeUndefined()
      await client.close()
    }
  })

  test('default: the explorer, built as from source', async () => {
    const text = async (path: string) => (await get(path)).text()
    const page = await text('/explorer')
    const linkedIn = (html: string) => [...html.matchAll(/"\/explorer\/assets\/(\w+-\w+\.\w+)"/g)]
    const sourcePage = explorerFiles.find(({ name }) => name === 'index.html')?.text ?? ''
    const linked = linkedIn(page)
    expect(linked).toHaveLength(3)
    // The packages of this build are in another folder, so the hashes in names differ.
    for (const [index, [, name = '']] of linkedIn(sourcePage).entries()) {
      const file = explorerFiles.find((each) => each.name === name)
      const inside = await text(`/explorer/assets/${linked[index]?.[1]}`)
      expect([name, inside.length]).toEqual([name, file?.text.length ?? 0])
    }
  })

  test.skipIf(!hasBrowser)(
    'default: the explorer shows the feeds of a chain in Chromium, even after a kill and a new start',
    async () => {
      const node = await startRecordedNode()
      const settings = { ...chainSettings(node.url, node), HOME: hostile() }
      let reading = await startProgram([binary], settings, hostile())
      try {
        await using opened = await openPage(`${reading.url}/`, { width: 360, colorScheme: 'dark' })
        const { page } = opened
        await page.getByText(`${expectedReadings.count} feeds`).waitFor()
        await page.locator('.feeds .value').first().waitFor()
        expect([await opened.shifts(), ...opened.faults, ...opened.foreign]).toEqual([0])
        await reading.kill('SIGKILL')
        await page.clock.fastForward(65_000)
        await page
          .getByText(/The server does not answer.*These values were read/)
          .first()
          .waitFor()
        expect(await page.locator('.feeds .value').count()).toBeGreaterThan(0)
        reading = await startProgram([binary], { ...settings, PORT: new URL(reading.url).port }, hostile())
        await page.clock.fastForward(65_000)
        await page.waitForFunction(() => document.querySelector('.stale') === null)
      } finally {
        reading.kill()
        await node.stop()
      }
    },
  )

  test('default: its health command distinguishes a server that answers from one that does not', async () => {
    const { port } = new URL(server.url)
    const codes = await Promise.all(
      [port, '1'].map(async (PORT) => (await run(['health'], { PORT })).exitCode),
    )
    expect(codes).toEqual([0, 1])
  })

  test('default: ends with exit code 0 on SIGTERM, having logged', async () => {
    const { exitCode, stderr } = await server.kill('SIGTERM')
    expect({ exitCode, isLogged: stderr.includes('"path":"/health"') }).toEqual({
      exitCode: 0,
      isLogged: true,
    })
  })

  test('default: --version', async () => {
    expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' })
  })

  test('default: each command has --help, and a line in the map', async () => {
    const map = (await run(['--help'])).stdout
    const commands = 'serve health verify export agent feeds eligibility contracts devnet demo'.split(' ')
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await run([command, '--help'])
      expect([exitCode, stderr]).toEqual([0, ''])
      expect(stdout).toStartWith(`Usage: wattfeed ${command} `)
      expect(map).toMatch(new RegExp(`^  ${command} +\\S`, 'm'))
    }
  })

  test('default: feeds list knows the flagship feeds, and reads the others from the chain', async () => {
    const node = await startRecordedNode()
    try {
      const { stdout, stderr } = await run(['feeds', 'list', '--json'], chainSettings(node.url, node))
      expect(stderr).toBe('')
      const { feeds } = JSON.parse(stdout)
      const ids = feeds.map(({ feed_id }: { feed_id: string }) => feed_id)
      const onChain = expectedReadings.feeds.map(({ feed_id }) => feed_id)
      expect(onChain.filter((id) => !ids.includes(id))).toEqual([])
      // The flagship feeds and the chain's other feeds.
      expect(ids.length).toBeGreaterThan(onChain.length)
    } finally {
      await node.stop()
    }
  })

  test('default: export writes Parquet, and reads it back to count revisions', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    await using node = await startDevnet({ call: async (...request) => chain.answer(...request) })
    const out = join(folder.path, 'data')
    const exportNew = async () => {
      const args = ['export', '--out', out, '--json']
      const { exitCode, stdout, stderr } = await run(args, chainSettings(node.url, chain))
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      return JSON.parse(stdout)
    }
    expect(await exportNew()).toMatchObject({ rows: 2, new_rows: 2 })
    chain.attest(testFeedId(0), { amount: 5n })
    await chain.advance()
    expect(await exportNew()).toMatchObject({ rows: 3, new_rows: 1 })
    expect(await readTable(out)).toEqual(await modelTable(localClient(chain).client))
  })

  test('default: files of a history, large ones from its worker', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    const feed = syntheticFeedId(0)
    for (let index = 1; index < 600; index++) chain.attest(feed, { period: index })
    chain.advance()
    await using node = await startDevnet({ call: async (...request) => chain.answer(...request) })
    const settings = { ...chainSettings(node.url, chain), HOME: hostile(), ...patientSettings }
    const serving = await startProgram([binary], settings, hostile())
    try {
      const fetched = (form: string) => fetch(`${serving.url}/v1/feeds/${feed}/history.${form}`)
      const parquet = await fetched('parquet')
      expect([parquet.status, parquet.headers.get('content-type')]).toEqual([
        200,
        'application/vnd.apache.parquet',
      ])
      expect(await readParquet(new Uint8Array(await parquet.arrayBuffer()))).toHaveLength(600)
      expect((await (await fetched('csv')).text()).split('\r\n')).toHaveLength(602)
      expect((await (await fetched('csv?limit=1')).text()).split('\r\n')).toHaveLength(3)
      expect((await serving.kill('SIGTERM')).exitCode).toBe(0)
    } finally {
      serving.kill()
    }
  })

  test('default: devnet, and the contracts that are inside installed on it', async () => {
    const keys = join(folder.path, 'keys')
    const args = ['devnet', '--json', '--port', '0', '--accounts', '1', '--keys', keys]
    args.push('--protocol', defaultProtocol)
    const devnet = await startProgram([binary, ...args], { HOME: hostile() }, hostile())
    try {
      const { rpc_url, chain_name } = JSON.parse(devnet.firstLine)
      const { exitCode, stdout, stderr } = await run(['contracts', 'install', '--json'], {
        CASPER_RPC_URL: rpc_url,
        CASPER_CHAIN_NAME: chain_name,
        ATTESTER_KEY_PATH: join(keys, 'account_0.pem'),
        AGENT_STATE_DIR: join(folder.path, 'state'),
      })
      expect([exitCode, stderr]).toEqual([0, ''])
      expect(Object.keys(JSON.parse(stdout).package_hashes)).toEqual([
        'FeedRegistry',
        'AttestationRegistry',
        'EligibilityGate',
      ])
      expect(await devnet.kill('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' })
    } finally {
      devnet.kill()
    }
  })

  test('default: demo starts the agent and the server from the binary', async () => {
    const demo = await startProgram([binary, 'demo'], { DEVNET_PORT: '0', HOME: hostile() }, hostile())
    try {
      await demo.line('Ctrl-C')
      expect((await (await fetch(`${demo.url}/v1/feeds`)).json()).count).toBeGreaterThanOrEqual(36)
      const { exitCode, stdout } = await demo.kill('SIGTERM')
      expect(exitCode).toBe(0)
      expect(stdout).toContain('  wattfeed feeds list\n')
      expect(stdout).not.toContain('bun run')
    } finally {
      demo.kill()
    }
  })

  const newFeed =
    'feeds new petroleum/pri/spt --frequency weekly --column value --facet series=RBRTE --id A.FEED --title a --description b --unit $/bbl --decimals 2'

  test('error: feeds new without FEEDS_FILE: the message has the fix', async () => {
    expect(await run(newFeed.split(' '))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'feeds: FEEDS_FILE is not set, and the feeds built into wattfeed are read-only; set it to a file of your own, which is created if missing\n',
    })
  })

  test('behavior: feeds new writes to FEEDS_FILE', async () => {
    const file = join(folder.path, 'feeds.json')
    const { exitCode, stdout } = await run(newFeed.split(' '), { FEEDS_FILE: file })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`added to ${file}`)])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([{ feed_id: 'A.FEED' }])
  })

  test('error: eligibility without PROVER_DIR: the message has the fix', async () => {
    const { exitCode, stderr } = await run(['eligibility', 'identity', join(folder.path, 'identity.json')])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^eligibility: PROVER_DIR is not set; .* run "npm install .*snarkjs@[\d.]+" in a folder/,
    )
    const wrong = await run(['eligibility', 'identity', 'a'], { PROVER_DIR: folder.path })
    expect(wrong.stderr).toStartWith(
      `eligibility: PROVER_DIR is "${folder.path}", which does not contain the packages; `,
    )
    const half = join(folder.path, 'half')
    mkdirSync(join(half, 'node_modules/snarkjs'), { recursive: true })
    const { stderr: halfStderr } = await run(['eligibility', 'identity', 'a'], { PROVER_DIR: half })
    expect(halfStderr).toStartWith(
      `eligibility: PROVER_DIR is "${half}", which does not contain the packages; `,
    )
  })

  test('behavior: eligibility uses the packages of PROVER_DIR, and their imports', async () => {
    const prover = join(folder.path, 'prover')
    const write = (name: string, main: string): void => {
      mkdirSync(join(prover, 'node_modules', name), { recursive: true })
      const manifest = JSON.stringify({ name, type: 'module', main: 'main.js' })
      writeFileSync(join(prover, 'node_modules', name, 'package.json'), manifest)
      writeFileSync(join(prover, 'node_modules', name, 'main.js'), main)
    }
    write('one', 'export const one = 1n')
    write(
      '@semaphore-protocol/identity',
      "import { one } from 'one'\nexport class Identity { commitment = one; publicKey = [one, one]; export() { return 'key' } }",
    )
    write('@semaphore-protocol/group', 'export class Group {}')
    write('@zk-kit/semaphore-artifacts', '')
    write('poseidon-lite', 'export const poseidon2 = () => 0n')
    write('snarkjs', 'export const curves = { getCurveFromName: async () => ({}) }')
    const file = join(folder.path, 'identity.json')
    const { stdout, stderr } = await run(['eligibility', 'identity', file, '--json'], { PROVER_DIR: prover })
    expect([JSON.parse(stdout), stderr]).toEqual([
      { command: 'identity', file, public_key: '1,1', commitment: '1' },
      '',
    ])
  })

  // The last test, because everything that loads lazily has loaded by then.
  test('behavior: runs no code of the working directory, and reads no settings there', async () => {
    const env = { PATH: process.env.PATH ?? '' }
    const unset = Bun.spawn([binary, 'health'], { cwd: hostile(), env, stderr: 'pipe' })
    expect(await new Response(unset.stderr).text()).not.toMatch(/PORT|HOST|VERIFY/)
    expect(existsSync(join(hostile(), MARK))).toBe(false)
  })
})
