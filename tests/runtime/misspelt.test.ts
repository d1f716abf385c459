// cspell:ignore ATESTER KEYAPTH CAPSER VERFY VERFIY APIKEY BLOCKHASH MOTEZ
import { describe, expect, test } from 'bun:test'
import { agentSettings } from '../../src/agent/settings/agentSettings.ts'
import { demoSettings } from '../../src/demo/demoSettings.ts'
import { forwardSettings } from '../../src/forward/settings.ts'
import {
  claimSettings,
  contractsSettings,
  datasetsSettings,
  exportSettings,
  feedsSettings,
  provenanceSettings,
  putSettings,
} from '../../src/operator/settings.ts'
import { devnetSettings } from '../../src/runtime/settings/listenSettings.ts'
import { misspelt, type Settings } from '../../src/runtime/settings/settings.ts'
import { serverSettings } from '../../src/server/settings.ts'

const programs: [string, Settings][] = [
  ['server', serverSettings],
  ['agent', agentSettings],
  ['feeds', feedsSettings],
  ['export', exportSettings],
  ['provenance', provenanceSettings],
  ['datasets', datasetsSettings],
  ['contracts', contractsSettings],
  ['eligibility', claimSettings],
  ['series', putSettings],
  ['demo', demoSettings],
  ['forward', forwardSettings],
  ['devnet', devnetSettings],
]
const everySetting = { properties: Object.assign({}, ...programs.map(([, { properties }]) => properties)) }
const setAll = (names: Iterable<string>): Record<string, string> =>
  Object.fromEntries([...names].map((name) => [name, 'x']))
const everyName = Object.keys(everySetting.properties)

describe('misspelt', () => {
  test.each([
    ['ATTESTER_KEYPATH', 'ATTESTER_KEY_PATH'],
    ['ATESTER_KEY_PATH', 'ATTESTER_KEY_PATH'],
    ['ATTESTER_KEYAPTH', 'ATTESTER_KEY_PATH'],
    ['CASPER_RPC_URLS', 'CASPER_RPC_URL'],
    ['CAPSER_RPC_URL', 'CASPER_RPC_URL'],
    ['VERFY', 'VERIFY'],
    ['VERFIY', 'VERIFY'],
    ['EIA_APIKEY', 'EIA_API_KEY'],
    ['FEED_FILE', 'FEEDS_FILE'],
    ['TRUSTED_BLOCKHASH', 'TRUSTED_BLOCK_HASH'],
    ['RPC_TIMEOUT_S', 'RPC_TIMEOUT_MS'],
    ['DEVNET_PROT', 'DEVNET_PORT'],
  ])('error: %s is named with %s', (name, meant) => {
    expect(misspelt({ [name]: 'x' }, everySetting)).toEqual([
      `${name} is not a setting; did you mean ${meant}?`,
    ])
  })

  test('error: of two settings that are close the closer one is named', () => {
    const { PAYMENT_MOTES } = agentSettings.properties
    const settings = { PAYMENT_NOTES: PAYMENT_MOTES, PAYMENT_MOTES }
    const reversed = { PAYMENT_MOTES, PAYMENT_NOTES: PAYMENT_MOTES }
    const fault = 'PAYMENT_MOTEZ is not a setting; did you mean PAYMENT_MOTES?'
    expect(misspelt({ PAYMENT_MOTEZ: 'x' }, { properties: settings })).toEqual([fault])
    expect(misspelt({ PAYMENT_MOTEZ: 'x' }, { properties: reversed })).toEqual([fault])
  })

  test('behavior: an empty one, and one beside the setting that it looks like, are passed over', () => {
    expect(misspelt({ VERFY: ' ' }, everySetting)).toEqual([])
    expect(misspelt({ VERFY: 'full', VERIFY: 'full' }, everySetting)).toEqual([])
    expect(misspelt({ VERFY: 'full', VERIFY: '' }, everySetting)).toHaveLength(1)
  })

  test('behavior: names of other programs are ignored', () => {
    const others = `
      PATH HOME HOSTNAME HOSTTYPE HOSTS PORTS POST PORT_ COST LOST PWD LOG_LEVELS LOGLEVEL LOG_LEVEL_
      VERIFY_SSL VERIFY_TLS VERIFIED SSL_VERIFY VERSION EPA_API_KEY BEA_API_KEY NIA_API_KEY
      FDA_API_KEY XAI_API_KEY API_KEY AGENT_HOST AGENT_NAME AGENT_PID SSH_AGENT_PID RPC_URL
      RPC_TIMEOUT CASPER_HOME BASE_URL LANG TERM SHELL SHLVL USER LOGNAME TMPDIR EDITOR TZ NO_PROXY
      HTTP_PROXY SSH_AUTH_SOCK NODE_ENV KUBERNETES_PORT KUBERNETES_SERVICE_HOST DOCKER_HOST CI
    `
    expect(misspelt(setAll(others.trim().split(/\s+/)), everySetting)).toEqual([])
  })

  test('behavior: the environment of this very process is', () => {
    expect(misspelt(process.env, everySetting)).toEqual([])
  })

  test.each(programs)('behavior: no setting of another program is taken for one of %s', (_, settings) => {
    for (const name of Object.keys(settings.properties)) {
      const others = everyName.filter((each) => each !== name)
      expect(misspelt(setAll(others), settings)).toEqual([])
    }
  })
})
