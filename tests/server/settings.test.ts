import { describe, expect, test } from 'bun:test'
import { casperTest } from 'wattfeed'
import { type Environment, parseSettings, SettingsError } from '../../src/runtime/settings/settings.ts'
import { requestOptions, serverSettings, settingsHelp } from '../../src/server/settings.ts'
import { namesRead } from '../support/namesRead.ts'
import { createTestLog } from './testApp.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']

const defaults = {
  port: 4030,
  host: '0.0.0.0',
  idleTimeoutS: 75,
  casperRpcUrl: casperTest.rpcUrls,
  casperRpcAuthorization: null,
  casperChainName: casperTest.chainName,
  feedRegistryPackageHash: casperTest.feedRegistryPackageHash,
  attestationRegistryPackageHash: casperTest.attestationRegistryPackageHash,
  rpcTimeoutMs: 4_000,
  requestDeadlineMs: 10_000,
  rpcRetryAfterMaxMs: 30_000,
  rpcConcurrency: 128,
  maxStalenessMs: 0,
  verify: 'off' as const,
  trustedBlockHash: null,
  maxHeadAgeMs: 300_000,
  requireAbsenceProof: false,
  checkpointFile: null,
  cacheMaxAgeS: 0,
  historyCacheMb: 64,
  datasets: null,
  streamPollMs: 1_000,
  maxStreams: 10_000,
  mcpAllowedHosts: [...loopback],
  mcpAllowedOrigins: [...loopback],
  notice: null,
  publicUrl: null,
  logLevel: 'info' as const,
}

const faultsOf = (environment: Environment): readonly string[] => {
  try {
    parseSettings(serverSettings, environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
  return []
}

describe('the server’s settings', () => {
  test('default: the public test network', () => expect(parseSettings(serverSettings, {})).toEqual(defaults))

  test('behavior: an empty setting counts as unset', () => {
    expect(parseSettings(serverSettings, { PORT: '', CASPER_RPC_URL: ' ', LOG_LEVEL: '' })).toEqual(defaults)
  })

  test('default: every setting is read', () => {
    const environment = {
      PORT: '0',
      HOST: '127.0.0.1',
      IDLE_TIMEOUT_S: '120',
      CASPER_RPC_URL: 'http://a:11101/rpc, https://user:pass@b/rpc',
      CASPER_RPC_AUTHORIZATION: 'A:11101=b4re==',
      CASPER_CHAIN_NAME: 'casper-net-1',
      FEED_REGISTRY_PACKAGE_HASH: `hash-${'aB'.repeat(32)}`,
      ATTESTATION_REGISTRY_PACKAGE_HASH: 'cd'.repeat(32),
      RPC_TIMEOUT_MS: '1',
      REQUEST_DEADLINE_MS: '2',
      RPC_RETRY_AFTER_MAX_MS: '0',
      RPC_CONCURRENCY: '3',
      MAX_STALENESS_MS: '4',
      CACHE_MAX_AGE_S: '60',
      VERIFY: 'full',
      TRUSTED_BLOCK_HASH: 'EF'.repeat(32),
      MAX_HEAD_AGE_MS: '5',
      HISTORY_CACHE_MB: '6',
      DATASETS: '/data, https://files.example.com/datasets',
      STREAM_POLL_MS: '7',
      MAX_STREAMS: '8',
      MCP_ALLOWED_HOSTS: 'Feeds.example.com, [::1]',
      MCP_ALLOWED_ORIGINS: 'app.example.com',
      PUBLIC_URL: 'https://Feeds.Example.com:443/',
      NOTICE: 'Test data.',
      LOG_LEVEL: 'silent',
    }
    expect(parseSettings(serverSettings, environment)).toEqual({
      port: 0,
      host: '127.0.0.1',
      idleTimeoutS: 120,
      casperRpcUrl: ['http://a:11101/rpc', 'https://user:pass@b/rpc'],
      casperRpcAuthorization: { 'a:11101': 'b4re==' },
      casperChainName: 'casper-net-1',
      feedRegistryPackageHash: 'ab'.repeat(32),
      attestationRegistryPackageHash: 'cd'.repeat(32),
      rpcTimeoutMs: 1,
      requestDeadlineMs: 2,
      rpcRetryAfterMaxMs: 0,
      rpcConcurrency: 3,
      maxStalenessMs: 4,
      verify: 'full',
      trustedBlockHash: 'ef'.repeat(32),
      maxHeadAgeMs: 5,
      requireAbsenceProof: false,
      checkpointFile: null,
      cacheMaxAgeS: 60,
      historyCacheMb: 6,
      datasets: ['/data', 'https://files.example.com/datasets'],
      streamPollMs: 7,
      maxStreams: 8,
      mcpAllowedHosts: ['feeds.example.com', '[::1]'],
      mcpAllowedOrigins: ['app.example.com'],
      notice: 'Test data.',
      publicUrl: 'https://feeds.example.com',
      logLevel: 'silent',
    })
  })

  test('behavior: the client answers requests by the settings', () => {
    const full = { VERIFY: 'full', TRUSTED_BLOCK_HASH: 'ef'.repeat(32), CHECKPOINT_FILE: 'checkpoint.json' }
    const { log, lines } = createTestLog()
    const limits = { REQUEST_DEADLINE_MS: '2', MAX_STALENESS_MS: '4' }
    const { checkpoint, observe, ...options } = requestOptions(
      parseSettings(serverSettings, { ...full, ...limits }),
      log,
    )
    expect(checkpoint).toBeDefined()
    observe.protocolVersion('2.2.2')
    expect(lines).toMatchObject([{ level: 'info', fields: { protocol_version: '2.2.2' } }])
    expect(options).toEqual({
      ...casperTest,
      timeoutMs: 4_000,
      deadlineMs: 2,
      retryAfterMaxMs: 30_000,
      concurrency: 128,
      maxStalenessMs: 4,
      verify: 'full',
      trustedBlockHash: 'ef'.repeat(32),
      maxHeadAgeMs: 300_000,
      requireAbsenceProof: false,
    })
  })

  test('error: full verification without a trusted block', () => {
    expect(faultsOf({ VERIFY: 'full' })).toEqual([
      'TRUSTED_BLOCK_HASH is not set: VERIFY=full starts at a block that you trust',
    ])
    expect(faultsOf({ VERIFY: 'proofs' })).toEqual([])
    expect(faultsOf({ VERIFY: 'yes', TRUSTED_BLOCK_HASH: 'ab' })).toEqual([
      'VERIFY is "yes": it must be one of off, proofs, full; unset it for off',
      `TRUSTED_BLOCK_HASH is "ab": it must be a switch block's hash: 64 hex digits`,
    ])
  })

  test.each(['http://feeds.example.com', 'feeds.example.com:443', '*', 'a,,b', '[::1'])(
    'error: %s is no host name',
    (name) => {
      expect(faultsOf({ MCP_ALLOWED_HOSTS: name })).toEqual([
        `MCP_ALLOWED_HOSTS is "${name}": it must be one host name or several, comma-separated, without ports, such as localhost,[::1]; unset it for localhost,127.0.0.1,[::1]`,
      ])
    },
  )

  test.each(['feeds.example.com', 'ftp://a', 'https://a/path', 'https://a/?q', 'https://user:secret@a'])(
    'error: %s is no origin, and is not shown',
    (url) => {
      expect(faultsOf({ PUBLIC_URL: url })).toEqual([
        'PUBLIC_URL must be the origin of a site, without a path, such as https://feeds.example.com',
      ])
    },
  )

  test('error: every fault is named, in the order of the settings', () => {
    const faults = faultsOf({
      PORT: '65536',
      HOST: 'a b',
      CASPER_CHAIN_NAME: 'x y',
      FEED_REGISTRY_PACKAGE_HASH: 'hash-ab',
      RPC_TIMEOUT_MS: '0',
      LOG_LEVEL: 'loud',
    })
    expect(faults).toEqual([
      'PORT is "65536": it must be a whole number from 0 to 65535; unset it for 4030',
      'HOST is "a b": it must be an address or host name without spaces; unset it for 0.0.0.0',
      'CASPER_CHAIN_NAME is "x y": it must be a chain name: letters, digits, dots and dashes; unset it for casper-test',
      `FEED_REGISTRY_PACKAGE_HASH is "hash-ab": it must be 64 hex digits, with or without "hash-" before them; unset it for ${casperTest.feedRegistryPackageHash}`,
      'RPC_TIMEOUT_MS is "0": it must be a whole number from 1 to 2147483647; unset it for 4000',
      'LOG_LEVEL is "loud": it must be one of trace, debug, info, warn, error, fatal, silent; unset it for info',
    ])
  })

  for (const value of ['-1', '1.5', '1e3', '0x10', '4030 ', 'NaN', '１', '99999999999'])
    test(`error: PORT ${JSON.stringify(value)}`, () => {
      expect(faultsOf({ PORT: value })).toHaveLength(value.trim() === '4030' ? 0 : 1)
    })

  for (const url of [
    'ftp://user:pass@a/',
    'a.example/rpc',
    'http://',
    'file:///etc',
    'http://a,',
    ',http://a',
  ])
    test(`error: an unusable URL (${url}) is reported without its text`, () => {
      const [fault, ...others] = faultsOf({ CASPER_RPC_URL: `http://user:pass@ok/rpc,${url}` })
      expect(others).toEqual([])
      expect(fault).toMatch(
        /^CASPER_RPC_URL must be one URL or several, comma-separated, that begin with http:\/\/ or https:\/\/ \(number [23] of [23] is not; not shown, it may hold a password\); unset it for https:\/\/node/,
      )
      expect(fault).not.toContain('pass@')
    })

  test.each([
    'b4re-token',
    'a:11101',
    'a:11101=',
    '=b4re',
    'a:11101=b4re,',
    'http://a:11101=b4re',
    'user@a:11101=b4re',
  ])('error: %s is no token of a host, and is not shown', (text) => {
    const urls = { CASPER_RPC_URL: 'http://a:11101/rpc,http://b/rpc' }
    const [fault, ...others] = faultsOf({ ...urls, CASPER_RPC_AUTHORIZATION: text })
    expect(others).toEqual([])
    expect(fault).toMatch(
      /^CASPER_RPC_AUTHORIZATION must be host=token, or several, comma-separated, such as node\.example\.com=a1b2c3 \(number [12] of [12] is not; not shown, it may hold a password\)$/,
    )
  })

  test.each([
    ['c=b4re', 'has a token for c, which is no host of CASPER_RPC_URL; write it as there, with its port'],
    ['a=b4re', 'has a token for a, which is no host of CASPER_RPC_URL; write it as there, with its port'],
    ['b=b4re', 'has a token for b, which has a user or a password in CASPER_RPC_URL; remove one of them'],
    ['a:11101=b4ré', 'must be visible ASCII, and that of a:11101 is not'],
  ])('error: a token that does not fit the nodes: %s', (text, fault) => {
    const urls = { CASPER_RPC_URL: 'http://a:11101/rpc,http://user:pass@b/rpc' }
    expect(faultsOf({ ...urls, CASPER_RPC_AUTHORIZATION: text })).toEqual([
      `CASPER_RPC_AUTHORIZATION ${fault}`,
    ])
  })

  for (const hash of [
    'ab'.repeat(31),
    'ab'.repeat(33),
    `hash-${'xy'.repeat(32)}`,
    `contract-${'ab'.repeat(32)}`,
  ])
    test(`error: ${hash} is not a package hash`, () => {
      expect(faultsOf({ ATTESTATION_REGISTRY_PACKAGE_HASH: hash })).toHaveLength(1)
    })
})

test('default: names every setting that is read, and no other', () => {
  const named = [...settingsHelp.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name)
  expect(named).toEqual(namesRead((environment) => parseSettings(serverSettings, environment)))
})
