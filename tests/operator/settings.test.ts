import { describe, expect, test } from 'bun:test'
import { urlSecrets } from '@wattfeed/base'
import { casperTest } from '../../packages/wattfeed/src/client/networks.ts'
import { contractsSettings, neededToPay, readSettings } from '../../src/operator/settings.ts'
import { type Environment, SettingsError } from '../../src/runtime/settings/settings.ts'
import { namesRead } from '../support/namesRead.ts'

const needed = {
  CASPER_RPC_URL: 'http://127.0.0.1:1/rpc',
  CASPER_CHAIN_NAME: 'casper-devnet',
  ATTESTER_KEY_PATH: 'keys/secret_key.pem',
}
const terminal = { hide: () => {} }

const read = (environment: Environment, writes: boolean) =>
  readSettings({ environment, terminal }, contractsSettings, writes ? neededToPay : [])

const faultsOf = (environment: Record<string, string>, writes: boolean): readonly string[] => {
  try {
    read(environment, writes)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
  }
  throw new Error('there were no faults')
}

describe('readSettings', () => {
  test('default: reads look at the public test network, and need nothing', () => {
    expect(read({}, false)).toEqual({
      casperRpcUrl: casperTest.rpcUrls,
      casperRpcAuthorization: null,
      casperChainName: 'casper-test',
      rpcTimeoutMs: 30_000,
      rpcRetryAfterMaxMs: 30_000,
      rpcConcurrency: 128,
      feedRegistryPackageHash: null,
      attestationRegistryPackageHash: null,
      eligibilityGatePackageHash: null,
      attesterKeyPath: null,
      agentStateDir: '.wattfeed',
      paymentMotes: null,
      attesterAccount: null,
      transactionTtlMs: 300_000,
      gasPriceTolerance: 1,
    })
  })

  test('default: every setting that is declared is read, and no other', () => {
    const declared = Object.keys(contractsSettings.properties)
    expect(namesRead((environment) => read(environment, false)).sort()).toEqual(declared.sort())
  })

  test('default: everything that can be set', () => {
    const environment = {
      CASPER_RPC_URL: 'http://a.test/rpc, https://b.test/rpc',
      CASPER_RPC_AUTHORIZATION: 'b.test=b4re',
      CASPER_CHAIN_NAME: 'casper-net-1',
      ATTESTER_KEY_PATH: 'my keys/key.pem',
      FEED_REGISTRY_PACKAGE_HASH: `hash-${'AB'.repeat(32)}`,
      ATTESTATION_REGISTRY_PACKAGE_HASH: 'cd'.repeat(32),
      ELIGIBILITY_GATE_PACKAGE_HASH: '',
      PAYMENT_MOTES: '3000000000',
      AGENT_STATE_DIR: '/var/lib/wattfeed',
      RPC_TIMEOUT_MS: '4000',
      RPC_RETRY_AFTER_MAX_MS: '7',
      RPC_CONCURRENCY: '4',
      ATTESTER_ACCOUNT: `02${'AB'.repeat(33)}`,
      TRANSACTION_TTL_MS: '7200000',
      GAS_PRICE_TOLERANCE: '255',
    }
    expect(read(environment, true)).toEqual({
      casperRpcUrl: ['http://a.test/rpc', 'https://b.test/rpc'],
      casperRpcAuthorization: { 'b.test': 'b4re' },
      casperChainName: 'casper-net-1',
      rpcTimeoutMs: 4_000,
      rpcRetryAfterMaxMs: 7,
      rpcConcurrency: 4,
      feedRegistryPackageHash: 'ab'.repeat(32),
      attestationRegistryPackageHash: 'cd'.repeat(32),
      eligibilityGatePackageHash: null,
      attesterKeyPath: 'my keys/key.pem',
      agentStateDir: '/var/lib/wattfeed',
      paymentMotes: 3_000_000_000n,
      attesterAccount: `02${'ab'.repeat(33)}`,
      transactionTtlMs: 7_200_000,
      gasPriceTolerance: 255,
    })
  })

  test('behavior: secrets are hidden', () => {
    const environment = {
      CASPER_RPC_URL: 'http://us3r:pa55@a.test/rpc, https://b.test/rpc',
      CASPER_RPC_AUTHORIZATION: 'b.test=Bearer b4re',
    }
    const hidden: (readonly string[])[] = []
    const hiding = { hide: (secrets: readonly string[]) => void hidden.push(secrets) }
    readSettings({ environment, terminal: hiding }, contractsSettings)
    expect(hidden).toEqual([[...urlSecrets('http://us3r:pa55@a.test/rpc'), 'Bearer b4re', 'b4re']])
  })

  test('error: a command that writes needs node, chain and key', () => {
    const why = 'is not set: it has no default for commands that write to a chain'
    expect(faultsOf({}, true)).toEqual([
      `CASPER_RPC_URL ${why}`,
      `CASPER_CHAIN_NAME ${why}`,
      `ATTESTER_KEY_PATH ${why}`,
    ])
  })

  test('error: every fault is named, and no password repeated', () => {
    const environment = {
      ...needed,
      CASPER_RPC_URL: 'http://ok.test/rpc,user:pa55word@node',
      CASPER_CHAIN_NAME: '../etc',
      FEED_REGISTRY_PACKAGE_HASH: 'abc',
      PAYMENT_MOTES: '2.5',
      RPC_TIMEOUT_MS: '0',
      RPC_CONCURRENCY: '1e3',
    }
    expect(faultsOf(environment, true)).toEqual([
      'CASPER_RPC_URL must be one URL or several, comma-separated, that begin with http:// or https:// (number 2 of 2 is not; not shown, it may hold a password)',
      'CASPER_CHAIN_NAME is "../etc": it must be a chain name: letters, digits, dots and dashes',
      'FEED_REGISTRY_PACKAGE_HASH is "abc": it must be 64 hex digits, with or without "hash-" before them',
      'RPC_TIMEOUT_MS is "0": it must be a whole number from 1 to 715827882; unset it for 30000',
      'RPC_CONCURRENCY is "1e3": it must be a whole number from 1 to 65535; unset it for 128',
      'PAYMENT_MOTES is "2.5": it must be a whole number of motes (1 CSPR is 1000000000)',
    ])
  })
})
