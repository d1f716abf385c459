import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startDevnet } from '@wattfeed/casper-devnet'
import { defaultProtocol } from '@wattfeed/casper-devnet/testing/internals'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { $ } from 'bun'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { WTI } from 'wattfeed/testing/world'
import manifest from '../package.json' with { type: 'json' }
import cli from '../packages/cli/package.json' with { type: 'json' }
import { createServedProof } from './operator/verify/runningServer.ts'
import { MARK, makeHostileFolder } from './server/hostileFolder.ts'
import { nextLook } from './support/nextLook.ts'
import { lintTarball, packLibrary } from './support/packages.ts'
import { runToEnd, startProgram } from './support/program.ts'
import { snippetsOf } from './support/snippets.ts'

const root = join(import.meta.dir, '..')

let folder: Folder
/** A project in which the program is installed, with files that try to run. */
let project: string
/** The tarballs of the library and of its dependencies. */
let library: string[]
let tarball: string

beforeAll(async () => {
  folder = createFolder()
  project = join(folder.path, 'project')
  await linkNode(join(folder.path, 'bin'))
  library = await packLibrary(folder.path)
  tarball = (await $`${process.execPath} scripts/buildCli.ts ${folder.path}`.cwd(root).quiet().text()).trim()
  await install(project)
  makeHostileFolder(project, [])
})

afterAll(() => folder[Symbol.dispose]())

/** Installs tarballs of this repository. Bun comes from npm's cache, where `npx -y bun@1.4.4` has put it. */
async function install(
  into: string,
  more: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<void> {
  await Bun.write(join(into, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...flags]
  await $`npm install ${options} ${[tarball, ...more]}`.cwd(into).env(nodeAlone(process.env)).quiet()
}

/** Makes a folder for a PATH on which there is Node.js with npm, and nothing else: a user has perhaps no Bun. */
async function linkNode(bin: string): Promise<void> {
  await mkdir(bin)
  for (const program of ['node', 'npm', 'npx', 'sh'])
    await symlink(Bun.which(program) ?? program, join(bin, program))
}

/** An environment whose PATH has Node.js with npm and nothing else. */
const nodeAlone = (others: NodeJS.ProcessEnv): Record<string, string | undefined> => ({
  ...others,
  PATH: join(folder.path, 'bin'),
  npm_config_update_notifier: 'false',
})

const wattfeed = (): string => join(project, 'node_modules/.bin/wattfeed')
const settings = () => ({
  PATH: join(folder.path, 'bin'),
  HOME: folder.path,
  npm_config_update_notifier: 'false',
  ...patientSettings,
})
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runToEnd([wattfeed(), ...args], { ...settings(), ...env }, project)

describe('the packed program', () => {
  const installed = (...names: string[]) => join(project, 'node_modules/wattfeed-cli', ...names)

  test('default: publint and attw find nothing', async () => {
    expect(await lintTarball(tarball)).toEqual([])
  })

  test('behavior: names no folder of the machine that built it', async () => {
    const { stdout } = await $`grep -rlF ${root} ${installed()}`.nothrow().quiet()
    expect(stdout.toString()).toBe('')
  })

  test('default: is of this version, depends on Bun alone, and carries its license', async () => {
    const { version, license, dependencies, mcpName } = await Bun.file(installed('package.json')).json()
    expect({ version, license, dependencies, mcpName }).toEqual({
      version: manifest.version,
      license: 'MIT',
      dependencies: { bun: manifest.devDependencies['bun-types'] },
      mcpName: cli.mcpName,
    })
    expect(await Bun.file(installed('LICENSE')).text()).toStartWith('MIT License\n')
  })
})

describe('the program, where there is Node.js alone', () => {
  afterAll(() => expect(existsSync(join(project, MARK))).toBe(false))

  const childOf = (pid: number): number =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])

  /** The process below npx and its shell. */
  function starterOf(pid: number): number {
    const isStarter = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/.bin/wattfeed')
    return isStarter ? pid : starterOf(childOf(pid))
  }

  test('default: --version', async () => {
    expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' })
  })

  test.each(['serve', 'verify', 'export', 'agent', 'feeds', 'forward', 'eligibility', 'contracts', 'devnet'])(
    'default: %s --help',
    async (command) => {
      const { exitCode, stdout, stderr } = await run([command, '--help'])
      expect([exitCode, stderr]).toEqual([0, ''])
      expect(stdout).toStartWith(`Usage: wattfeed ${command} `)
    },
  )

  test('default: npx wattfeed-cli demo starts a chain, the agent and the server', async () => {
    const demo = await startProgram(
      ['npx', 'wattfeed-cli', 'demo'],
      { ...settings(), DEVNET_PORT: '0' },
      project,
    )
    try {
      expect((await (await fetch(`${demo.url}/v1/feeds`)).json()).count).toBeGreaterThanOrEqual(36)
      process.kill(starterOf(demo.pid), 'SIGTERM')
      expect((await demo.ended).exitCode).toBe(0)
    } finally {
      demo.kill()
    }
  })

  test('default: serves the explorer, the documentation, and large files from its worker', async () => {
    const chain = createSyntheticChain({ feeds: 1 })
    const feed = syntheticFeedId(0)
    for (let index = 1; index < 600; index++) chain.attest(feed, { period: index })
    chain.advance()
    await using rpc = await startDevnet({ call: async (...request) => chain.answer(...request) })
    const serving = await startProgram(
      [wattfeed()],
      {
        ...settings(),
        CASPER_RPC_URL: rpc.url,
        CASPER_CHAIN_NAME: chain.chainName,
        FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
        ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
      },
      project,
    )
    try {
      const textOf = async (path: string) => (await fetch(serving.url + path)).text()
      expect(await textOf('/explorer')).toContain('/explorer/assets/')
      expect(await textOf('/openapi/swagger-ui-bundle.js')).toContain('SwaggerUIBundle')
      expect(await textOf('/openapi/swagger-ui.css')).toContain('.swagger-ui')
      expect((await textOf(`/v1/feeds/${feed}/history.csv`)).split('\r\n')).toHaveLength(602)
    } finally {
      // A SIGKILL would leave behind what the starter runs.
      await serving.kill('SIGTERM')
    }
  })

  test('default: installs the contracts that it holds on its devnet', async () => {
    const keys = join(project, 'keys')
    const args = ['devnet', '--json', '--port', '0', '--accounts', '1', '--keys', keys]
    args.push('--protocol', defaultProtocol)
    const devnet = await startProgram([wattfeed(), ...args], settings(), project)
    try {
      const { rpc_url, chain_name } = JSON.parse(devnet.firstLine)
      const { exitCode, stdout, stderr } = await run(['contracts', 'install', '--json'], {
        CASPER_RPC_URL: rpc_url,
        CASPER_CHAIN_NAME: chain_name,
        ATTESTER_KEY_PATH: join(keys, 'account_0.pem'),
        AGENT_STATE_DIR: join(project, 'state'),
      })
      expect([exitCode, stderr]).toEqual([0, ''])
      expect(Object.keys(JSON.parse(stdout).package_hashes)).toEqual([
        'FeedRegistry',
        'AttestationRegistry',
        'EligibilityGate',
      ])
    } finally {
      // A SIGKILL would leave behind what the starter runs.
      await devnet.kill('SIGTERM')
    }
  })

  test('default: verifies a proof', async () => {
    const { proof, trust } = await createServedProof()
    await Bun.write(join(project, 'proof.json'), JSON.stringify(proof))
    const options = {
      '--trust': trust.trustedBlockHash,
      '--chain-name': trust.chainName,
      '--feed-registry': trust.feedRegistryPackageHash,
      '--attestation-registry': trust.attestationRegistryPackageHash,
    }
    const { exitCode, stdout } = await run([
      'verify',
      join(project, 'proof.json'),
      ...Object.entries(options).flat(),
    ])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(`${WTI} = 59.91`) })
  })

  test('error: installs no prover into itself', async () => {
    const { exitCode, stderr } = await run(['eligibility', 'identity', 'identity.json'])
    expect(exitCode).toBe(1)
    expect(stderr).toStartWith('eligibility: PROVER_DIR is not set; ')
  })

  test('default: passes standard input and output on', async () => {
    const transport = new StdioClientTransport({
      command: wattfeed(),
      args: ['mcp'],
      cwd: project,
      env: settings(),
      stderr: 'ignore',
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    expect((await client.listTools()).tools).toHaveLength(6)
    await client.close()
  })

  /** Whether a process has not yet received a signal. */
  function isPending(signal: NodeJS.Signals, pid: number): boolean {
    const [, mask = '0'] = /^ShdPnd:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals[signal] - 1))) !== 0n
  }

  const serve = (...command: string[]) => {
    const options = { ...settings(), CASPER_RPC_URL: 'http://127.0.0.1:1/rpc' }
    return startProgram(command, options, project)
  }

  // The server has no use for a SIGHUP, which ends it.
  test.each([
    ['SIGTERM', 0],
    ['SIGINT', 0],
    ['SIGHUP', 129],
  ] as const)('default: passes %s on, and exits as the program does: %i', async (signal, exitCode) => {
    const server = await serve(wattfeed())
    expect((await server.kill(signal)).exitCode).toBe(exitCode)
  })

  test('behavior: ends with npx, which passes no signal on', async () => {
    const server = await serve('npx', 'wattfeed-cli')
    const program = childOf(starterOf(server.pid))
    // Waits until all that was started has closed its output.
    expect((await server.kill('SIGTERM')).exitCode).toBe(143)
    expect(existsSync(`/proc/${program}`)).toBe(false)
  })

  test('behavior: ends by the signal that ended the program', async () => {
    const server = await serve(wattfeed())
    process.kill(childOf(server.pid), 'SIGKILL')
    expect((await server.ended).exitCode).toBe(137)
  })

  test('behavior: Ctrl-C in a terminal stops the program once, so that it answers what it was asked', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<Response>()
    await using node = Bun.serve({
      port: 0,
      fetch: () => {
        asked.resolve()
        return answer.promise.then((response) => response.clone())
      },
    })
    let shown = ''
    const listening = Promise.withResolvers<void>()
    const server = Bun.spawn([wattfeed()], {
      env: { ...settings(), CASPER_RPC_URL: node.url.href, PORT: '0', HOST: '127.0.0.1' },
      cwd: project,
      terminal: {
        data: (_, data) => {
          shown += new TextDecoder().decode(data)
          if (/listens on \S+\r\n/.test(shown)) listening.resolve()
        },
      },
    })
    await Promise.race([listening.promise, server.exited])
    const [url = ''] = /http:\S+/.exec(Bun.stripANSI(shown)) ?? []
    const asking = fetch(`${url}/v1/feeds/${WTI}`).then(({ status }) => status)
    await asked.promise
    // The program itself may have asked. What connects later than the request shows that this is connected.
    await fetch(`${url}/v1/datasets`)
    // Held up, so that a signal that it passed on would come after the terminal's.
    process.kill(server.pid, 'SIGSTOP')
    server.terminal?.write('\x03')
    // From then on the program knows of the signal.
    while (
      await fetch(`${url}/health`).then(
        () => true,
        () => false,
      )
    )
      await nextLook()
    process.kill(server.pid, 'SIGCONT')
    while (isPending('SIGINT', server.pid)) await nextLook()
    answer.resolve(new Response('', { status: 404 }))
    expect(await asking).toBe(502)
    expect(await server.exited).toBe(0)
    server.terminal?.close()
  })

  describe('where npm runs no install scripts', () => {
    const other = () => join(folder.path, 'other')
    const version = () =>
      runToEnd([join(other(), 'node_modules/.bin/wattfeed'), '--version'], settings(), other())

    beforeAll(() => install(other(), [], ['--ignore-scripts']))

    test('default: finds Bun in the package for the system', async () => {
      expect(await version()).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' })
    })

    test('error: without that, it says what is missing', async () => {
      await rm(join(other(), 'node_modules/@oven'), { recursive: true })
      const message = `wattfeed: Bun, which runs this program, is not installed for ${process.platform}-${process.arch}: install wattfeed-cli again, with optional dependencies\n`
      expect(await version()).toEqual({ exitCode: 1, stdout: '', stderr: message })
    })
  })
})

describe('its chain, in a project with contracts', () => {
  const run = (command: ReturnType<typeof $>) => command.cwd(contracts()).nothrow().quiet()
  const contracts = () => join(folder.path, 'contracts')

  beforeAll(async () => {
    const example = snippetsOf('docs/devnet.md', 'ts').find((each) => each.includes("from 'bun:test'")) ?? ''
    await install(contracts(), library)
    await Bun.write(join(contracts(), 'tests/price.test.ts'), example)
    await Bun.write(
      join(contracts(), 'my_contract.wasm'),
      Bun.file(join(root, 'fixtures/chain/openGate.wasm')),
    )
    // From here, because a test has no network.
    for (const name of ['casper-js-sdk', 'bun-types'])
      await symlink(join(root, 'node_modules', name), join(contracts(), 'node_modules', name))
  })

  test('default: the example of docs/devnet.md passes', async () => {
    const { exitCode, stderr } = await run($`npx bun test --timeout 300000`.env(nodeAlone(process.env)))
    expect({ exitCode, stderr: stderr.toString() }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(' 2 pass\n 0 fail\n'),
    })
  })

  test('default: the example of its README passes', async () => {
    const [example = ''] = snippetsOf('packages/cli/README.md', 'ts')
    await Bun.write(join(contracts(), 'chain.ts'), example)
    const { exitCode, stderr } = await run($`npx bun ${'chain.ts'}`.env(nodeAlone(process.env)))
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  })

  for (const module of ['nodenext', 'preserve'])
    test(`behavior: it checks in strict TypeScript (${module})`, async () => {
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const options = `--strict --noEmit --skipDefaultLibCheck --checkers 1 --target esnext --lib esnext,dom --types bun-types --module ${module}`
      const checked = await run($`node ${tsc} ${options.split(' ')} tests/price.test.ts`)
      // The runtime's own types only compile with skipLibCheck.
      const faults = checked.stdout.toString().split('\n')
      expect(faults.filter((line) => line !== '' && !line.includes('/bun-types/'))).toEqual([])
    })

  test('error: in Node.js it is missing, not broken', async () => {
    const { stderr } = await run($`node -e ${"import('wattfeed-cli/devnet')"}`)
    expect(stderr.toString()).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})
