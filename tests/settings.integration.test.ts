// cspell:ignore VERFY DIRR DEVNETPORT
import { expect, test } from 'bun:test'
import { casperTest } from '../packages/wattfeed/src/client/networks.ts'
import { agentSettings } from '../src/agent/settings/agentSettings.ts'
import { demoSettings } from '../src/demo/demoSettings.ts'
import { forwardSettings } from '../src/forward/settings.ts'
import { contractsSettings } from '../src/operator/settings.ts'
import { devnetSettings } from '../src/runtime/settings/listenSettings.ts'
import { serverSettings } from '../src/server/settings.ts'
import { binary } from './support/binary.ts'
import { runToEnd, startProgram } from './support/program.ts'

/** How each program is started, with a misspelled setting. */
const programs: [string, string[], string, string][] = [
  ['serve', [], 'VERFY', 'VERIFY'],
  ['agent', ['--once'], 'ATTESTER_KEYPATH', 'ATTESTER_KEY_PATH'],
  ['feeds', ['list'], 'FEED_FILE', 'FEEDS_FILE'],
  ['contracts', ['status'], 'ELIGIBILTY_GATE_PACKAGE_HASH', 'ELIGIBILITY_GATE_PACKAGE_HASH'],
  ['eligibility', ['claim', 'a.json'], 'PAYMENT_MOTE', 'PAYMENT_MOTES'],
  ['eligibility', ['identity', 'a.json'], 'PROVER_DIRR', 'PROVER_DIR'],
  ['forward', [], 'FORWARD_SECRETS', 'FORWARD_SECRET'],
  ['devnet', ['--port', '0'], 'DEVNET_PROT', 'DEVNET_PORT'],
  ['demo', [], 'DEVNETPORT', 'DEVNET_PORT'],
]

test.each(programs)(
  'error: %s %p with %s starts nothing and names %s',
  async (command, args, name, meant) => {
    const { exitCode, stdout, stderr } = await runToEnd([binary, command, ...args], { [name]: 'pa55word' })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${name} is not a setting; did you mean ${meant}?`)
    expect(stderr).not.toContain('pa55word')
  },
)

const deadNode = { CASPER_RPC_URL: 'http://user:s3cret@127.0.0.1:1/rpc/a-token-of-a-node', LOG_LEVEL: 'info' }

const source = {
  chain_name: 'casper-test',
  nodes: ['http://127.0.0.1:1'],
  feed_registry_package_hash: casperTest.feedRegistryPackageHash,
  attestation_registry_package_hash: casperTest.attestationRegistryPackageHash,
  verify: 'off',
}

const firstLogOf = (stderr: string): object => JSON.parse(stderr.split('\n', 1)[0] ?? '')

test('behavior: the server first logs what it serves', async () => {
  const server = await startProgram([binary], deadNode)
  const { stderr } = await server.kill('SIGTERM')
  expect(firstLogOf(stderr)).toMatchObject({ level: 30, msg: 'starting', ...source })
  for (const secret of ['s3cret', 'a-token']) expect(stderr).not.toContain(secret)
})

test('behavior: the agent first logs what it reads', async () => {
  const agent = [binary, 'agent', '--once', '--dry-run']
  const settings = { ...deadNode, EIA_API_KEY: 'invented-key', FEEDS_FILE: '/absent.json' }
  const { stderr } = await runToEnd(agent, settings)
  expect(firstLogOf(stderr)).toMatchObject({ level: 30, msg: 'starting', ...source })
})

test('behavior: the forwarder first logs from where to where', async () => {
  const ends = ['--from', 'http://user:s3cret@127.0.0.1:1', '--to', 'http://127.0.0.1:1/hook?key=s3cret']
  // The state folder is invalid, so the program ends.
  const settings = { FORWARD_SECRET: `whsec_${btoa('x'.repeat(32))}`, FORWARD_STATE_DIR: '/dev/null/state' }
  const { stderr } = await runToEnd([binary, 'forward', ...ends], settings)
  expect(firstLogOf(stderr)).toMatchObject({
    level: 30,
    msg: 'starting',
    server: 'http://127.0.0.1:1',
    target: '127.0.0.1:1',
  })
  expect(stderr).not.toContain('s3cret')
})

const names = new Set(
  [serverSettings, agentSettings, contractsSettings, forwardSettings, demoSettings, devnetSettings].flatMap(
    ({ properties }) => Object.keys(properties),
  ),
)

/** The settings' names in a text. */
const namesIn = (text: string): string[] =>
  [...new Set(text.match(/[A-Z][A-Z_]+/g))].filter((name) => names.has(name)).toSorted()

const chain = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', CASPER_CHAIN_NAME: 'casper-net-1' }
const payer = { ...chain, ATTESTER_KEY_PATH: 'key.pem' }

/** Each command with its required settings, and one invalid setting of its own. */
const commands: [string, string[], Record<string, string>, string][] = [
  ['serve', [], {}, 'VERIFY'],
  ['health', [], {}, 'HOST'],
  ['agent', ['--once', '--dry-run'], { EIA_API_KEY: 'key' }, 'CATCH_UP'],
  ['feeds', ['costs'], {}, 'LOOK_BACK'],
  ['feeds', ['list'], {}, 'VERIFY'],
  ['feeds', ['attest', 'EIA.X', '--dry-run'], { EIA_API_KEY: 'key' }, 'EIA_RPS'],
  ['export', ['--out', 'none'], {}, 'RPC_CONCURRENCY'],
  ['provenance', ['EIA.X'], { EIA_API_KEY: 'key' }, 'EIA_RPS'],
  ['provenance', ['EIA.X', '--row', 'none'], {}, 'MAX_HEAD_AGE_MS'],
  ['datasets', ['check', 'none'], {}, 'RPC_CONCURRENCY'],
  ['contracts', ['status'], {}, 'TRANSACTION_TTL_MS'],
  ['contracts', ['install'], payer, 'ATTESTER_ACCOUNT'],
  ['eligibility', ['claim', 'none.json'], payer, 'TRANSACTION_TTL_MS'],
  ['committee', ['status'], {}, 'TRANSACTION_TTL_MS'],
  ['mcp', [], {}, 'REQUEST_DEADLINE_MS'],
  ['forward', ['--from', 'http://127.0.0.1:1', '--to', 'nats://127.0.0.1:1'], {}, 'FORWARD_ATTEMPTS'],
]

test.each(commands)(
  'error: %s %p is rejected for its own wrong setting, regardless of the settings of other commands',
  async (name, args, needed, own) => {
    const help = await runToEnd([binary, name, ...args.slice(0, name === 'eligibility' ? 1 : 0), '--help'])
    const shown = namesIn(help.stdout)
    expect(shown).toContain(own)
    const others = [...names].filter((each) => !shown.includes(each))
    const environment = {
      ...Object.fromEntries([...others, own].map((each) => [each, 'no value'])),
      ...needed,
    }
    const { exitCode, stdout, stderr } = await runToEnd([binary, name, ...args], environment)
    expect([exitCode !== 0, namesIn(stdout + stderr)]).toEqual([true, [own]])
  },
)

test.each([
  ['mcp', ['mcp']],
  ['provenance', ['provenance', 'EIA.A']],
])('error: %s does not show a wrong --server, which may hold a password', async (name, words) => {
  const command = [binary, ...words, '--server', 'ftp://user:pa55@host/?key=pa55']
  const { exitCode, stdout, stderr } = await runToEnd(command, { EIA_API_KEY: 'k' })
  expect(exitCode).toBeGreaterThan(0)
  expect(stdout + stderr).not.toContain('pa55')
  expect(stderr).toStartWith(
    `${name}: --server must be a URL that begins with http:// or https:// (not shown, it may hold a password)`,
  )
})
