import { expect, test } from 'bun:test'
import { pemOf } from '@wattfeed/casper/testing/keys'
import { createFolder } from '@wattfeed/testing/folder'
import { createStopSignals, runAgentCommand } from '../../../src/agent/run/agentCommand.ts'
import { createManualWait, turn } from './fakes.ts'

test.each([
  [true, 2],
  [false, 0],
])('behavior: stopped while a call hangs, it still ends; once %p: exit code %p', async (once, code) => {
  using folder = createFolder()
  const { wait, waits } = createManualWait()
  const signals = createStopSignals((ms) => wait(ms, new AbortController().signal))
  let calls = 0
  const ended = runAgentCommand(
    { once },
    {
      environment: {
        EIA_API_KEY: 'k3y',
        ATTESTER_KEY_PATH: folder.write('key.pem', pemOf('ed25519')),
        AGENT_STATE_DIR: `${folder.path}/state`,
        AGENT_PORT: '0',
        CASPER_RPC_URL: 'http://node.test/rpc',
        CASPER_CHAIN_NAME: 'casper-net-1',
        FEED_REGISTRY_PACKAGE_HASH: 'aa'.repeat(32),
        ATTESTATION_REGISTRY_PACKAGE_HASH: 'bb'.repeat(32),
        RPC_TIMEOUT_MS: '100000000',
        LOG_LEVEL: 'silent',
      },
      platform: {
        fetch() {
          calls += 1
          return new Promise(() => {})
        },
        now: Date.now,
        wait,
        random: Math.random,
      },
      signals,
      print: () => {},
    },
  )
  while (calls === 0) await turn()
  signals.end()
  for (const ms of [8_000, 1_000]) {
    while (!waits.some((each) => each.ms === ms)) await turn()
    waits.find((each) => each.ms === ms)?.end()
  }
  expect(await ended).toBe(code)
})
