import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { createFolder } from '@wattfeed/testing/folder'
import { casperTest } from 'wattfeed'
import { callSettings, chainSettings } from '../../src/runtime/settings/chainSettings.ts'
import { clientOptions } from '../../src/runtime/settings/readerSettings.ts'
import { type Environment, parseSettings } from '../../src/runtime/settings/settings.ts'
import { verificationSettings } from '../../src/runtime/settings/verificationSettings.ts'
import { createTestLog } from '../server/testApp.ts'

const HASH = 'ab'.repeat(32)
const schema = Type.Object({ ...chainSettings, ...callSettings, ...verificationSettings })

const read = (environment: Environment) => parseSettings(schema, environment)

describe('clientOptions', () => {
  test('default: the test network, unverified; three attempts fit the deadline', () => {
    expect(clientOptions(read({}))).toEqual({
      ...casperTest,
      timeoutMs: 4_000,
      deadlineMs: 12_000,
      retryAfterMaxMs: 30_000,
      concurrency: 128,
      verify: 'off',
      maxHeadAgeMs: 300_000,
      requireAbsenceProof: false,
    })
  })

  test('behavior: every setting is an option of the library', () => {
    const environment = {
      CASPER_RPC_URL: 'http://a:11101/rpc',
      CASPER_RPC_AUTHORIZATION: 'a:11101=b4re',
      CASPER_CHAIN_NAME: 'casper-net-1',
      FEED_REGISTRY_PACKAGE_HASH: HASH,
      ATTESTATION_REGISTRY_PACKAGE_HASH: 'cd'.repeat(32),
      RPC_TIMEOUT_MS: '5',
      RPC_RETRY_AFTER_MAX_MS: '6',
      RPC_CONCURRENCY: '7',
      VERIFY: 'full',
      TRUSTED_BLOCK_HASH: HASH,
      MAX_HEAD_AGE_MS: '8',
      REQUIRE_ABSENCE_PROOF: 'true',
    }
    expect(clientOptions(read(environment))).toEqual({
      rpcUrls: ['http://a:11101/rpc'],
      rpcAuthorization: { 'a:11101': 'b4re' },
      chainName: 'casper-net-1',
      feedRegistryPackageHash: HASH,
      attestationRegistryPackageHash: 'cd'.repeat(32),
      timeoutMs: 5,
      deadlineMs: 15,
      retryAfterMaxMs: 6,
      concurrency: 7,
      verify: 'full',
      trustedBlockHash: HASH,
      maxHeadAgeMs: 8,
      requireAbsenceProof: true,
    })
  })

  test('behavior: a file keeps how far was verified', async () => {
    using folder = createFolder()
    const file = `${folder.path}/checkpoint.json`
    const settings = read({ VERIFY: 'full', TRUSTED_BLOCK_HASH: HASH, CHECKPOINT_FILE: file })
    const saved = { chainName: 'casper', trustedBlockHash: HASH, blockHash: HASH }
    await clientOptions(settings).checkpoint?.save(saved)
    expect(await clientOptions(settings).checkpoint?.load()).toEqual(saved)
  })

  test('behavior: what cannot be kept is logged', async () => {
    using folder = createFolder()
    const { log, lines } = createTestLog()
    const settings = read({ VERIFY: 'full', TRUSTED_BLOCK_HASH: HASH, CHECKPOINT_FILE: folder.path })
    const saved = { chainName: 'casper', trustedBlockHash: HASH, blockHash: HASH }
    await expect(clientOptions(settings, log).checkpoint?.save(saved)).rejects.toThrow()
    expect(lines).toMatchObject([{ level: 'warn', message: 'cannot save the checkpoint' }])
  })
})

test('error: contradictions between the settings of nodes, and of verification', () => {
  expect(() => read({ CASPER_RPC_AUTHORIZATION: 'other=b4re', VERIFY: 'full' })).toThrow(
    'CASPER_RPC_AUTHORIZATION has a token for other, which is no host of CASPER_RPC_URL; write it as there, with its port\nTRUSTED_BLOCK_HASH is not set: VERIFY=full starts at a block that you trust',
  )
})
