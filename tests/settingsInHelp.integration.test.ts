import { expect, test } from 'bun:test'
import { agentSettings } from '../src/agent/settings/agentSettings.ts'
import { demoSettings } from '../src/demo/demoSettings.ts'
import { forwardSettings } from '../src/forward/settings.ts'
import { contractsSettings } from '../src/operator/settings.ts'
import { devnetSettings } from '../src/runtime/settings/listenSettings.ts'
import { serverSettings } from '../src/server/settings.ts'
import { binary } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

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
