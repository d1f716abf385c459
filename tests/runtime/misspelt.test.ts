// cspell:ignore ATESTER KEYAPTH CAPSER VERFY VERFIY APIKEY BLOCKHASH MOTEZ PORTT HOSTT LEVL
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
} from '../../src/operator/settings.ts'
import { devnetSettings } from '../../src/runtime/settings/listenSettings.ts'
import { misspelt, similarNames } from '../../src/runtime/settings/misspelt.ts'
import type { Settings } from '../../src/runtime/settings/settings.ts'
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

describe('similarNames', () => {
  test.each([
    ['RPC_URL', 'CASPER_RPC_URL'],
    ['CASPER_RPC', 'CASPER_RPC_URL'],
    ['CASPER_CHAIN', 'CASPER_CHAIN_NAME'],
    ['CHAIN_NAME', 'CASPER_CHAIN_NAME'],
    ['FEED_REGISTRY', 'FEED_REGISTRY_PACKAGE_HASH'],
    ['ATTESTATION_REGISTRY', 'ATTESTATION_REGISTRY_PACKAGE_HASH'],
    ['TRUSTED_BLOCK', 'TRUSTED_BLOCK_HASH'],
    ['PORTT', 'PORT'],
    ['HOSTT', 'HOST'],
    ['LOG_LVL', 'LOG_LEVEL'],
    ['LOG_LEVL', 'LOG_LEVEL'],
    ['RPC_TIMEOUT', 'RPC_TIMEOUT_MS'],
  ])('default: %s is named with %s', (name, meant) => {
    expect(similarNames({ [name]: 'pa55word' }, everySetting)).toEqual([
      `${name} is set, but it is not a setting of this program and is ignored; did you mean ${meant}?`,
    ])
  })

  test('behavior: an empty one, and one beside the setting that it resembles, are passed over', () => {
    expect(similarNames({ RPC_URL: ' ' }, everySetting)).toEqual([])
    expect(similarNames({ RPC_URL: 'x', CASPER_RPC_URL: 'y' }, everySetting)).toEqual([])
  })

  test('behavior: names of other programs are ignored', () => {
    const others = `
      PATH HOME HOSTNAME HOSTTYPE HOSTS PORTS POST COST LOST PWD OLDPWD LOGLEVEL LOG_LEVELS LOGNAME
      LOG_DIR LOG_FILE VERSION VERBOSE VERCEL VERIFY_SSL VERIFIED SSL_VERIFY API_KEY BEA_API_KEY
      BASE_URL STATE_DIR AGENT_NAME AGENT_HOME AGENT_PID SSH_AGENT_PID SSH_AUTH_SOCK CASPER_HOME RPC
      LANG LC_ALL TERM SHELL SHLVL USER TMPDIR EDITOR TZ CI DEBUG HTTP_PROXY HTTPS_PROXY NO_PROXY
      NODE_ENV NODE_OPTIONS BUN_INSTALL DATABASE_URL KUBERNETES_PORT KUBERNETES_SERVICE_HOST
      DOCKER_HOST XDG_RUNTIME_DIR JOURNAL_STREAM
    `
    expect(similarNames(setAll(others.trim().split(/\s+/)), everySetting)).toEqual([])
  })

  test('behavior: the environment of this very process is', () => {
    expect(similarNames(process.env, everySetting)).toEqual([])
  })

  test.each(programs)('behavior: no setting of another program resembles one of %s', (_, settings) => {
    for (const name of Object.keys(settings.properties)) {
      const others = everyName.filter((each) => each !== name)
      expect(similarNames(setAll(others), settings)).toEqual([])
    }
  })
})
