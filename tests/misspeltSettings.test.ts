import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { runToEnd } from './server/program.ts'

const entry = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** How each program is started, with a setting whose name is a slip away from one of its own. */
const programs: [string, string[], string, string][] = [
  ['src/index.ts', [], 'VERFY', 'VERIFY'],
  ['src/index.ts', ['health'], 'CASPER_RPC_URLS', 'CASPER_RPC_URL'],
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
  expect(stderr).toContain(`${name} is no setting: did you mean ${meant}?`)
  expect(stderr).not.toContain('pa55word')
})
