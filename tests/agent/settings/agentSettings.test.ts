import { describe, expect, test } from 'bun:test'
import { casperTest } from '../../../packages/wattfeed/src/client/networks.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { SettingsError } from '../../../src/runtime/settings/settings.ts'

const key = { EIA_API_KEY: 'k3y' }
const chain = {
  CASPER_RPC_URL: 'http://127.0.0.1:1/rpc',
  CASPER_CHAIN_NAME: 'casper-devnet',
  FEED_REGISTRY_PACKAGE_HASH: `hash-${'AB'.repeat(32)}`,
  ATTESTATION_REGISTRY_PACKAGE_HASH: 'cd'.repeat(32),
  ATTESTER_KEY_PATH: 'keys/secret key.pem',
}
const all = { writes: true, fetches: true }

const faultsOf = (environment: Record<string, string>, needs: typeof all): readonly string[] => {
  try {
    readAgentSettings(environment, needs)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
  }
  throw new Error('there were no faults')
}

const defaults = {
  eiaApiKey: 'k3y',
  eiaBaseUrl: 'https://api.eia.gov',
  eiaRps: 4,
  feedsFile: null,
  catchUp: 100,
  archiveFile: null,
  datasetsDir: null,
  keepSnapshots: 2,
  keepArchived: 0,
  lookBack: 0,
  attesterKeyPath: null,
  attesterAccount: null,
  transactionTtlMs: 300_000,
  gasPriceTolerance: 1,
  agentStateDir: '.wattfeed',
  paymentMotes: null,
  agentHost: '127.0.0.1',
  agentPort: 4031,
  committeePeers: null,
  committeeListen: { host: '127.0.0.1', port: 4032 },
  casperRpcUrl: casperTest.rpcUrls,
  casperRpcAuthorization: null,
  casperChainName: casperTest.chainName,
  feedRegistryPackageHash: casperTest.feedRegistryPackageHash,
  attestationRegistryPackageHash: casperTest.attestationRegistryPackageHash,
  rpcTimeoutMs: 4_000,
  rpcRetryAfterMaxMs: 30_000,
  rpcConcurrency: 128,
  verify: 'off' as const,
  trustedBlockHash: null,
  checkpointFile: null,
  maxHeadAgeMs: 300_000,
  requireAbsenceProof: false,
  logLevel: 'info' as const,
}

describe('readAgentSettings', () => {
  test('default: a dry run needs only EIA’s key, and reads the public test network', () => {
    expect(readAgentSettings(key, { writes: false, fetches: true })).toEqual(defaults)
  })

  test('default: a command without requests to EIA does not need the key', () => {
    expect(readAgentSettings({}, { writes: false, fetches: false })).toEqual({ ...defaults, eiaApiKey: null })
  })

  test('default: everything that can be set', () => {
    const environment = {
      ...chain,
      EIA_API_KEY: 'k3y',
      EIA_BASE_URL: 'http://127.0.0.1:4040',
      EIA_RPS: '2.5',
      FEEDS_FILE: 'my feeds.json',
      CATCH_UP: '0',
      ARCHIVE_FILE: 'archive.db',
      DATASETS_DIR: '/srv/datasets',
      KEEP_SNAPSHOTS: '9',
      KEEP_ARCHIVED: 'all',
      LOOK_BACK: '3',
      AGENT_STATE_DIR: '/var/lib/wattfeed',
      AGENT_PORT: '0',
      AGENT_HOST: '0.0.0.0',
      COMMITTEE_PEERS: 'members.json',
      COMMITTEE_LISTEN: '[::1]:0',
      PAYMENT_MOTES: '3000000000',
      ATTESTER_ACCOUNT: `ACCOUNT-HASH-${'AB'.repeat(32)}`,
      TRANSACTION_TTL_MS: '60000',
      GAS_PRICE_TOLERANCE: '3',
      RPC_TIMEOUT_MS: '5000',
      RPC_RETRY_AFTER_MAX_MS: '7',
      RPC_CONCURRENCY: '4',
      VERIFY: 'full',
      TRUSTED_BLOCK_HASH: 'EF'.repeat(32),
      MAX_HEAD_AGE_MS: '60000',
      LOG_LEVEL: 'warn',
    }
    expect(readAgentSettings(environment, all)).toEqual({
      eiaApiKey: 'k3y',
      eiaBaseUrl: 'http://127.0.0.1:4040',
      eiaRps: 2.5,
      feedsFile: 'my feeds.json',
      catchUp: 0,
      archiveFile: 'archive.db',
      datasetsDir: '/srv/datasets',
      keepSnapshots: 9,
      keepArchived: null,
      lookBack: 3,
      attesterKeyPath: 'keys/secret key.pem',
      agentStateDir: '/var/lib/wattfeed',
      paymentMotes: 3_000_000_000n,
      attesterAccount: `account-hash-${'ab'.repeat(32)}`,
      transactionTtlMs: 60_000,
      gasPriceTolerance: 3,
      agentHost: '0.0.0.0',
      agentPort: 0,
      committeePeers: 'members.json',
      committeeListen: { host: '::1', port: 0 },
      casperRpcUrl: ['http://127.0.0.1:1/rpc'],
      casperRpcAuthorization: null,
      casperChainName: 'casper-devnet',
      feedRegistryPackageHash: 'ab'.repeat(32),
      attestationRegistryPackageHash: 'cd'.repeat(32),
      rpcTimeoutMs: 5_000,
      rpcRetryAfterMaxMs: 7,
      rpcConcurrency: 4,
      verify: 'full',
      checkpointFile: null,
      trustedBlockHash: 'ef'.repeat(32),
      maxHeadAgeMs: 60_000,
      requireAbsenceProof: false,
      logLevel: 'warn',
    })
  })

  test('error: a command that writes needs node, chain, registries and key', () => {
    const why = 'is not set: it has no default for commands that write to a chain'
    expect(faultsOf({}, all)).toEqual([
      'EIA_API_KEY is not set: it is free at https://www.eia.gov/opendata/register.php',
      `ATTESTER_KEY_PATH ${why}`,
      `CASPER_RPC_URL ${why}`,
      `CASPER_CHAIN_NAME ${why}`,
      `FEED_REGISTRY_PACKAGE_HASH ${why}`,
      `ATTESTATION_REGISTRY_PACKAGE_HASH ${why}`,
    ])
  })

  test('error: every fault is named, and no secret repeated', () => {
    const environment = {
      ...chain,
      EIA_API_KEY: 's3cret and space',
      EIA_BASE_URL: 'user:pa55word@eia',
      EIA_RPS: '0',
      AGENT_PORT: '65536',
      PAYMENT_MOTES: '2.5',
      RPC_TIMEOUT_MS: '715827883',
    }
    expect(faultsOf(environment, all)).toEqual([
      'EIA_API_KEY must be a key without spaces',
      'EIA_BASE_URL must be a URL that begins with http:// or https:// (not shown, it may hold a password); unset it for https://api.eia.gov',
      'EIA_RPS is "0": it must be a number above 0, at most 1000; unset it for 4',
      'PAYMENT_MOTES is "2.5": it must be a whole number of motes (1 CSPR is 1000000000)',
      'RPC_TIMEOUT_MS is "715827883": it must be a whole number from 1 to 715827882; unset it for 4000',
      'AGENT_PORT is "65536": it must be a whole number from 0 to 65535; unset it for 4031',
    ])
  })
})
