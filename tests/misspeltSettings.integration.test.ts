// cspell:ignore VERFY DIRR DEVNETPORT
import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { casperTest } from '../src/library/client/networks.ts'
import { runToEnd, startProgram } from './support/program.ts'

const entry = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** How each program is started, with a misspelled setting. */
const programs: [string, string[], string, string][] = [
  ['src/index.ts', [], 'VERFY', 'VERIFY'],
  ['src/agent.ts', ['--once'], 'ATTESTER_KEYPATH', 'ATTESTER_KEY_PATH'],
  ['src/feeds.ts', ['list'], 'FEED_FILE', 'FEEDS_FILE'],
  ['src/contracts.ts', ['status'], 'ELIGIBILTY_GATE_PACKAGE_HASH', 'ELIGIBILITY_GATE_PACKAGE_HASH'],
  ['src/eligibility.ts', ['claim', 'a.json'], 'PAYMENT_MOTE', 'PAYMENT_MOTES'],
  ['src/eligibility.ts', ['identity', 'a.json'], 'PROVER_DIRR', 'PROVER_DIR'],
  ['src/forward.ts', [], 'FORWARD_SECRETS', 'FORWARD_SECRET'],
  ['src/devnet.ts', ['--port', '0'], 'DEVNET_PROT', 'DEVNET_PORT'],
  ['src/demo.ts', [], 'DEVNETPORT', 'DEVNET_PORT'],
]

test.each(programs)('error: %s %p with %s starts nothing and names %s', async (path, args, name, meant) => {
  const { exitCode, stdout, stderr } = await runToEnd([process.execPath, entry(path), ...args], {
    [name]: 'pa55word',
  })
  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`${name} is not a setting; did you mean ${meant}?`)
  expect(stderr).not.toContain('pa55word')
})

const deadNode = { CASPER_RPC_URL: 'http://user:s3cret@127.0.0.1:1/rpc/a-token-of-a-node', LOG_LEVEL: 'info' }

const source = {
  chain_name: 'casper-test',
  nodes: ['http://127.0.0.1:1'],
  feed_registry_package_hash: casperTest.feedRegistryPackageHash,
  attestation_registry_package_hash: casperTest.attestationRegistryPackageHash,
  verify: 'off',
}

const ignored = (name: string, meant: string): string =>
  `${name} is set, but it is not a setting of this program and is ignored; did you mean ${meant}?`

const logOf = (stderr: string): object[] => stderr.split('\n', 2).map((line) => JSON.parse(line))

test('behavior: the server first logs what it serves, and warns about a name that resembles a setting', async () => {
  const server = await startProgram([process.execPath, entry('src/index.ts')], {
    ...deadNode,
    CASPER_CHAIN: 'pa55word',
  })
  const { stderr } = await server.kill('SIGTERM')
  expect(logOf(stderr)).toMatchObject([
    { level: 30, msg: 'starting', ...source },
    { level: 40, msg: 'unknown setting ignored', hint: ignored('CASPER_CHAIN', 'CASPER_CHAIN_NAME') },
  ])
  for (const secret of ['pa55word', 's3cret', 'a-token']) expect(stderr).not.toContain(secret)
})

test('behavior: the agent first logs what it reads, and warns about a name that resembles a setting', async () => {
  const agent = [process.execPath, entry('src/agent.ts'), '--once', '--dry-run']
  const settings = {
    ...deadNode,
    EIA_API_KEY: 'invented-key',
    FEEDS_FILE: '/absent.json',
    FEED_REGISTRY: 'x',
  }
  const { stderr } = await runToEnd(agent, settings)
  expect(logOf(stderr)).toMatchObject([
    { level: 30, msg: 'starting', ...source },
    {
      level: 40,
      msg: 'unknown setting ignored',
      hint: ignored('FEED_REGISTRY', 'FEED_REGISTRY_PACKAGE_HASH'),
    },
  ])
})

test('behavior: the forwarder first logs from where to where, and warns about a name that resembles a setting', async () => {
  const ends = ['--from', 'http://user:s3cret@127.0.0.1:1', '--to', 'http://127.0.0.1:1/hook?key=s3cret']
  // The state folder is invalid, so the program ends.
  const settings = { FORWARD_SECRET: `whsec_${btoa('x'.repeat(32))}`, FORWARD_STATE_DIR: '/dev/null/state' }
  const forward = [process.execPath, entry('src/forward.ts'), ...ends]
  const { stderr } = await runToEnd(forward, { ...settings, LOG_LVL: 'debug' })
  expect(logOf(stderr)).toMatchObject([
    { level: 30, msg: 'starting', server: 'http://127.0.0.1:1', target: '127.0.0.1:1' },
    { level: 40, msg: 'unknown setting ignored', hint: ignored('LOG_LVL', 'LOG_LEVEL') },
  ])
  expect(stderr).not.toContain('s3cret')
})

const commands: [string, string[]][] = [
  ['feeds', ['list']],
  ['export', ['--out', '/dev/null/x']],
  ['provenance', ['A.FEED', '--row', '/absent']],
  ['contracts', ['status']],
]
test.each(commands)('behavior: %s %p warns about a name that resembles a setting', async (name, args) => {
  const program = [process.execPath, entry(`src/${name}.ts`), ...args]
  const { stderr } = await runToEnd(program, {
    CASPER_RPC_URL: 'http://127.0.0.1:1/rpc',
    CASPER_CHAIN: 'pa55word',
  })
  expect(stderr).toContain(`${name}: ${ignored('CASPER_CHAIN', 'CASPER_CHAIN_NAME')}\n`)
  expect(stderr).not.toContain('pa55word')
})
