import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import expected from '../fixtures/chain/expected-readings.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { binary } from './support/binary.ts'
import { runToEnd, startProgram } from './support/program.ts'

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

const command = [process.execPath, pathOf('src/index.ts')]

/** Files that run one command, from before there was one program. */
const entries = {
  agent: 'src/agent.ts',
  committee: 'src/committee.ts',
  contracts: 'src/contracts.ts',
  demo: 'src/demo.ts',
  devnet: 'src/devnet.ts',
  eligibility: 'src/eligibility.ts',
  export: 'src/export.ts',
  forward: 'src/forward.ts',
  feeds: 'src/feeds.ts',
  mcp: 'src/mcp.ts',
  provenance: 'src/provenance.ts',
  verify: 'src/verify.ts',
}
const deadNode = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', REQUEST_DEADLINE_MS: '1000' }

describe('serve', () => {
  test('default: says what it serves and that the demo needs no network, answers from the chain, exit code 0 on SIGTERM', async () => {
    const node = await startRecordedNode()
    const server = await startProgram(command, {
      CASPER_RPC_URL: node.url,
      CASPER_CHAIN_NAME: node.chainName,
      FEED_REGISTRY_PACKAGE_HASH: node.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: node.attestationRegistryPackageHash.replace(/^hash-/, ''),
    })
    try {
      expect(server.firstLine).toMatch(/^wattfeed listens on http:\/\/localhost:[1-9]\d*$/)
      const feeds = await (await fetch(`${server.url}/v1/feeds`)).text()
      expect(feeds).toBe(JSON.stringify(expected))
      const ready = await fetch(`${server.url}/ready`)
      expect([ready.status, (await ready.json()).ready]).toEqual([200, true])
      expect(await server.kill('SIGTERM')).toMatchObject({
        exitCode: 0,
        stdout: `${server.firstLine}\nIt serves the network ${node.chainName}; "npx -y bun@1.4.4 run demo" needs no network.\n`,
      })
    } finally {
      server.kill()
      await node.stop()
    }
  })

  test('behavior: starts and stays up while no node answers; exit code 0 on SIGINT', async () => {
    const server = await startProgram(command, deadNode)
    try {
      const statuses = []
      for (const path of ['/health', '/v1/datasets', '/v1/feeds', '/ready', '/health'])
        statuses.push((await fetch(`${server.url}${path}`)).status)
      expect(statuses).toEqual([200, 200, 502, 503, 200])
      const { exitCode, stderr } = await server.kill('SIGINT')
      const lines = stderr.trim().split('\n')
      const warmUp = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith('warm-up failed'))
      expect({ exitCode, warmUp }).toMatchObject({
        exitCode: 0,
        warmUp: {
          err: { code: 'deadline', message: expect.stringContaining('127.0.0.1:1: the connection failed') },
          hint: 'set CASPER_RPC_URL to a node that this machine can reach; "npx -y bun@1.4.4 run demo" needs no network',
        },
      })
    } finally {
      server.kill()
    }
  })

  test('default: the log is JSON on standard error, complete when the process has ended', async () => {
    const server = await startProgram(command, deadNode)
    await fetch(`${server.url}/health`)
    const { stderr } = await server.kill('SIGTERM')
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual({
      level: 30,
      time: expect.any(Number),
      method: 'GET',
      path: '/health',
      status: 200,
      durationMs: expect.any(Number),
      msg: 'request',
    })
  })

  test('behavior: LOG_LEVEL silent logs nothing', async () => {
    const server = await startProgram(command, { ...deadNode, LOG_LEVEL: 'silent' })
    await fetch(`${server.url}/health`)
    expect((await server.kill('SIGTERM')).stderr).toBe('')
  })

  test('error: every fault of the settings is a line, without secrets; exit code 1', async () => {
    const settings = { PORT: 'x', RPC_CONCURRENCY: '0', CASPER_RPC_URL: 'ftp://user:secret@a' }
    const { exitCode, stdout, stderr } = await runToEnd(command, settings)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    const lines = stderr.trim().split('\n')
    expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'wattfeed: PORT',
      'wattfeed: CASPER_RPC_URL',
      'wattfeed: RPC_CONCURRENCY',
    ])
    expect(stderr).not.toContain('secret')
  })

  test('error: a checkpoint file that cannot be written is a line; exit code 1', async () => {
    const full = { VERIFY: 'full', TRUSTED_BLOCK_HASH: 'ab'.repeat(32) }
    const path = `${import.meta.path}/checkpoint.json`
    const { exitCode, stdout, stderr } = await runToEnd(command, {
      ...deadNode,
      ...full,
      CHECKPOINT_FILE: path,
    })
    expect({ exitCode, stdout, lines: stderr.split('\n').length }).toEqual({
      exitCode: 1,
      stdout: '',
      lines: 2,
    })
    expect(stderr).toStartWith(
      `wattfeed: CHECKPOINT_FILE is "${path}": it cannot be written (ENOTDIR): let this user`,
    )
  })

  test('error: a port that is taken is a line; exit code 1', async () => {
    const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    try {
      const settings = { ...deadNode, PORT: String(other.port), HOST: '127.0.0.1' }
      const { exitCode, stdout, stderr } = await runToEnd(command, settings)
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `wattfeed: cannot listen on 127.0.0.1:${other.port} (EADDRINUSE); set PORT or HOST to a free address, or PORT=0 to use any free port\n`,
      })
    } finally {
      other.stop()
    }
  })
})

describe('health', () => {
  test('default: exit code 0 if the server answers, 1 if it no longer does', async () => {
    const server = await startProgram(command, deadNode)
    const settings = { PORT: new URL(server.url).port }
    const healthy = await runToEnd([...command, 'health'], settings)
    await server.kill('SIGTERM')
    const gone = await runToEnd([...command, 'health'], settings)
    expect({ healthy: [healthy.exitCode, healthy.stderr], gone: gone.exitCode }).toEqual({
      healthy: [0, ''],
      gone: 1,
    })
    expect(gone.stderr).toStartWith(`wattfeed: no answer from http://127.0.0.1:${settings.PORT}/health`)
  })
})

describe('command line', () => {
  const inOneLine = (text: string): string => text.replace(/\s+/g, ' ')

  test('default: --version', async () => {
    expect((await runToEnd([...command, '--version'])).stdout).toBe(`${manifest.version}\n`)
  })

  test('default: --help is a map, a line for each command; serve --help names the settings', async () => {
    const { exitCode, stdout } = await runToEnd([...command, '--help'])
    expect(exitCode).toBe(0)
    const lines = stdout.split('\n').filter((line) => /^ {2}[a-z]+ {2,}\S/.test(line))
    expect(lines.map((line) => line.trim().split(' ', 1)[0])).toEqual([
      'serve',
      'health',
      'verify',
      'provenance',
      'series',
      'export',
      'mcp',
      'forward',
      'doctor',
      'agent',
      'feeds',
      'datasets',
      'eligibility',
      'committee',
      'contracts',
      'transaction',
      'devnet',
      'demo',
    ])
    expect(stdout).toContain('Every command has --help, with its settings')
    const serve = await runToEnd([...command, 'serve', '--help'])
    for (const word of ['CASPER_RPC_URL', 'MAX_STALENESS_MS']) expect(serve.stdout).toContain(word)
  })

  test('behavior: help and a command is the help of that command, as usual', async () => {
    const { stdout } = await runToEnd([...command, 'help', 'health'])
    expect(stdout).toStartWith('Usage: wattfeed health [options]\n')
  })

  test('behavior: the program and the old entries run the same commands', async () => {
    for (const [name, path] of Object.entries(entries)) {
      // The binary starts three times as fast. Only a checkout has a folder for the prover.
      const here = await runToEnd([binary, name, '--help'])
      const there = await runToEnd([process.execPath, pathOf(path), '--help'])
      const renamed = inOneLine(there.stdout)
        .replace(`Usage: ${name}`, `Usage: wattfeed ${name}`)
        .replaceAll('bun run ', 'wattfeed ')
        .replace('default src/operator/eligibility/prover, installed on first use', 'default none')
      expect({ ...here, stdout: inOneLine(here.stdout) }).toEqual({ ...there, stdout: renamed })
    }
  })

  test('behavior: a command loads only what it needs', async () => {
    const room =
      /packages\/[\w-]+|(?<=\/src\/)(?:web\/|operator\/(?=verify))?[^/]+|(?<=\/node_modules\/)(?:@elysiajs\/)?[^/]+/
    const loaded = async (...args: string[]): Promise<string[]> => {
      const source = `process.argv = ${JSON.stringify(['bun', 'wattfeed', ...args])}
process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))))
await import(${JSON.stringify(command[1])})`
      const { stderr } = await runToEnd([process.execPath, '-e', source])
      const paths: string[] = JSON.parse(stderr)
      const rooms = paths.map((path) => room.exec(path)?.[0] ?? '')
      return [...new Set(rooms)].filter((room) => room !== '').sort()
    }
    // The library, with EIA's periods, loads in 10 ms.
    const others = [
      'agent',
      'casper-js-sdk',
      'feeds',
      'demo',
      'packages/casper-devnet',
      'elysia',
      'operator',
      'server',
      'operator/verify',
      'forward',
      '@nats-io',
      'standardwebhooks',
      '@modelcontextprotocol',
      'zod',
      'hyparquet',
      'hyparquet-writer',
      '@elysiajs/openapi',
    ]
    const loadedOthers = async (...args: string[]): Promise<string[]> =>
      (await loaded(...args)).filter((room) => others.includes(room))
    expect(await loaded('--help')).toEqual(['commander', 'runtime'])
    expect(await loadedOthers('devnet', '--help')).toEqual(['packages/casper-devnet'])
    expect(await loadedOthers('verify', '--help')).toEqual(['operator/verify'])
    expect(await loadedOthers('serve', '--help')).toEqual(['elysia', 'feeds', 'server'])
    expect(await loadedOthers('agent', '--help')).toEqual(['agent', 'feeds'])
    expect(await loadedOthers('forward', '--help')).toEqual(['@nats-io', 'forward', 'standardwebhooks'])
  })

  test('error: an option which it does not know is rejected, and no value of it repeated', async () => {
    const { exitCode, stderr } = await runToEnd([...command, '--too=http://a:s3cret@b'])
    expect([exitCode > 0, stderr]).toEqual([true, expect.stringMatching(/^error: .*--too=…/)])
    expect(stderr).not.toContain('s3cret')
  })

  test('error: an unknown command is rejected', async () => {
    const { exitCode, stdout, stderr } = await runToEnd([...command, 'nope'])
    expect({ exitCode, stdout, isNamed: stderr.includes('nope') }).toEqual({
      exitCode: 1,
      stdout: '',
      isNamed: true,
    })
  })
})
