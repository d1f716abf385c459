import { describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync } from 'node:fs'
import { acquireLock } from '@wattfeed/base/disk'
import { pemOf, testSigner } from '@wattfeed/casper/testing/keys'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import type { Finding } from '../../../src/operator/doctor/finding.ts'
import { runDoctor } from '../../../src/operator/doctor/runDoctor.ts'
import { startTestUpstream } from '../../support/testUpstream.ts'
import { createConfig } from '../feeds/support/feedConfigs.ts'
import { CHAIN_NAME, createFeedsChain, type FeedsChainOptions } from '../feeds/support/feedsChain.ts'

const API_KEY = 'the-right-key'
const wti = createConfig({ upstream_unit: '$/BBL' })

interface Bench {
  folder: Folder
  /** The node's JSON-RPC. */
  url: string
  /** Runs all checks, and returns the findings that did not pass by what they checked. */
  faults(changes?: Record<string, string>, clock?: () => number): Promise<Record<string, Finding>>
}

/** A chain and EIA's API on loopback. The configured feed is registered by `registrant`. */
async function withBench(
  {
    registrant = 'us',
    ...options
  }: FeedsChainOptions & { registrant?: 'us' | 'stranger' | 'nobody'; balance?: bigint },
  use: (bench: Bench) => Promise<void>,
): Promise<void> {
  using folder = createFolder()
  const chain = await createFeedsChain({ time: Date.now, balance: 10n ** 15n, ...options })
  const account = registrant === 'stranger' ? registrant : undefined
  if (registrant !== 'nobody') await chain.register(wti.feed_id, feedMetadata(wti), account)
  await using endpoint = await startDevnet({ call: chain.answer })
  await using upstream = startTestUpstream({ apiKey: API_KEY })
  const settings = {
    CASPER_RPC_URL: endpoint.url,
    CASPER_CHAIN_NAME: CHAIN_NAME,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    ATTESTER_KEY_PATH: folder.write('key.pem', pemOf('ed25519')),
    AGENT_STATE_DIR: `${folder.path}/state`,
    AGENT_PORT: '0',
    FEEDS_FILE: folder.write('feeds.json', JSON.stringify([wti])),
    EIA_API_KEY: API_KEY,
    EIA_BASE_URL: upstream.url,
  }
  const faults: Bench['faults'] = async (changes = {}, now = Date.now) => {
    const needs = { writes: true, fetches: true }
    const found = await runDoctor(readAgentSettings({ ...settings, ...changes }, needs), {
      fetch,
      now,
      onCheck: () => {},
    })
    const wrong = found.filter(({ state }) => state !== 'passed')
    return Object.fromEntries(wrong.map((finding) => [finding.check, finding]))
  }
  await use({ folder, url: endpoint.url, faults })
}

const failure = (found: string, cure: string | null) => ({
  state: 'failed',
  found: expect.stringContaining(found),
  cure: cure === null ? null : expect.stringContaining(cure),
})

/** Writes a members file of this key, or one that we invent, and another member. */
async function writeMembers(folder: Folder, has: { own: boolean; address: boolean }): Promise<string> {
  const { publicKey } = await testSigner()
  const keyOf = (digit: string): string => `01${digit.repeat(64)}`
  const own = { publicKey: has.own ? publicKey : keyOf('a'), weight: 1, address: 'https://own.example' }
  const other = { publicKey: keyOf('b'), weight: 1, ...(has.address ? { address: 'https://b.example' } : {}) }
  const thresholds = { deployment: 2, keyManagement: 2 }
  return folder.write('members.json', JSON.stringify({ thresholds, members: [own, other] }))
}

test('default: an agent that can run has no fault, and nothing is left in its folder', () =>
  withBench({}, async ({ faults, folder }) => {
    const before = readdirSync(folder.path)
    expect(await faults()).toEqual({})
    expect(readdirSync(folder.path)).toEqual(before)
  }))

describe('error: each mistake is named with its cure', () => {
  test('another network, with what depends on it skipped', () =>
    withBench({}, async ({ faults }) => {
      const found = Object.values(await faults({ CASPER_CHAIN_NAME: 'casper-test' }))
      expect(found).toMatchObject([
        failure('"casper-net-1", not "casper-test"', 'else correct CASPER_CHAIN_NAME'),
        ...['contracts', 'rights', 'balance', 'eligibility', 'feeds'].map((check) => ({
          check,
          state: 'skipped',
        })),
      ])
    }))

  test('a node that cannot be reached; worth a look only beside one that can', () =>
    withBench({}, async ({ faults, url }) => {
      const closed = 'http://127.0.0.1:1/rpc'
      expect(await faults({ CASPER_RPC_URL: closed })).toMatchObject({
        'node 127.0.0.1:1': failure('', 'set CASPER_RPC_URL'),
        contracts: { state: 'skipped' },
      })
      const found = await faults({ CASPER_RPC_URL: `${closed},${url}` })
      expect(Object.values(found)).toMatchObject([{ check: 'node 127.0.0.1:1', state: 'warned' }])
    }))

  test('a package of another contract', () =>
    withBench({}, async ({ faults }) => {
      const wrong = 'ab'.repeat(32)
      expect(await faults({ FEED_REGISTRY_PACKAGE_HASH: wrong })).toMatchObject({
        FeedRegistry: failure(wrong, 'set FEED_REGISTRY_PACKAGE_HASH'),
        feeds: { state: 'skipped' },
      })
    }))

  test('an account that cannot pay for one attestation', () =>
    withBench({ balance: 1_000_000_000n }, async ({ faults }) => {
      expect(await faults()).toMatchObject({
        balance: failure('has 1 CSPR, but an attestation pays 2.5 CSPR', 'send at least 1.5 CSPR'),
      })
    }))

  test('a balance for a few days is worth a look', () =>
    withBench({ balance: 10_000_000_000n }, async ({ faults }) => {
      expect(await faults()).toMatchObject({ balance: { state: 'warned' } })
    }))

  test('a feed of somebody else', () =>
    withBench({ registrant: 'stranger' }, async ({ faults }) => {
      expect(await faults()).toMatchObject({ feeds: failure(wti.feed_id, 'feeds claimant') })
    }))

  test('a feed of nobody, and an account that may not register it', () =>
    withBench({ registrant: 'nobody', isEligible: false }, async ({ faults }) => {
      expect(await faults()).toMatchObject({
        feeds: failure(wti.feed_id, 'feeds register --all'),
        eligibility: failure('not eligible at the gate', 'eligibility claim'),
      })
    }))

  test('a balance that does not pay for eligibility, the registration and an attestation', () =>
    withBench({ registrant: 'nobody', isEligible: false, balance: 10n ** 10n }, async ({ faults }) => {
      expect(await faults()).toMatchObject({
        balance: failure('eligibility, registrations and an attestation pay 38 CSPR', 'at least 28 CSPR'),
      })
    }))

  test('a feed of nobody, and an account that may register it', () =>
    withBench({ registrant: 'nobody' }, async ({ faults }) => {
      expect(Object.keys(await faults())).toEqual(['feeds'])
    }))

  test("EIA's key", () =>
    withBench({}, async ({ faults }) => {
      const found = await faults({ EIA_API_KEY: 'the-wrong-key' })
      expect(found).toMatchObject({ EIA_API_KEY: failure('EIA rejects it (HTTP 403', 'the mail from EIA') })
      expect(JSON.stringify(found)).not.toContain('the-wrong-key')
    }))

  test('a clock that is an hour ahead', () =>
    withBench({}, async ({ faults }) => {
      const found = await faults({}, () => Date.now() + 3_600_000)
      expect(found).toMatchObject({ clock: failure('s ahead of that of 127.0.0.1', 'timedatectl') })
    }))

  test('a key file that others can read, and one that is none', () =>
    withBench({}, async ({ faults, folder }) => {
      chmodSync(`${folder.path}/key.pem`, 0o644)
      expect(await faults()).toMatchObject({ ATTESTER_KEY_PATH: { state: 'warned' } })
      const path = folder.write('none.pem', 'nothing')
      expect(await faults({ ATTESTER_KEY_PATH: path })).toMatchObject({
        ATTESTER_KEY_PATH: failure('none.pem', 'secret key in PEM'),
        balance: { state: 'skipped' },
      })
    }))

  test('a key without weight for its account', async () => {
    const stranger = `account-hash-${'cd'.repeat(32)}`
    await withBench({}, async ({ faults }) => {
      expect(await faults({ ATTESTER_ACCOUNT: stranger })).toMatchObject({
        rights: failure(stranger, 'ATTESTER_ACCOUNT'),
      })
    })
  })

  test('a folder that cannot be made', () =>
    withBench({}, async ({ faults, folder }) => {
      const file = folder.write('file', '')
      expect(await faults({ AGENT_STATE_DIR: `${file}/state`, DATASETS_DIR: folder.path })).toMatchObject({
        AGENT_STATE_DIR: failure(`${file}/state cannot be created in ${file}`, 'set AGENT_STATE_DIR'),
      })
    }))

  test('ports that are taken; the one for other members only in a committee', () =>
    withBench({}, async ({ faults, folder }) => {
      await using taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
      const ports = { AGENT_PORT: String(taken.port), COMMITTEE_LISTEN: `127.0.0.1:${taken.port}` }
      const own = { AGENT_PORT: failure('EADDRINUSE', 'set AGENT_HOST and AGENT_PORT') }
      expect(await faults(ports)).toEqual({ AGENT_PORT: expect.objectContaining(own.AGENT_PORT) })
      const COMMITTEE_PEERS = await writeMembers(folder, { own: true, address: true })
      expect(await faults({ ...ports, COMMITTEE_PEERS })).toEqual({
        AGENT_PORT: expect.objectContaining(own.AGENT_PORT),
        COMMITTEE_LISTEN: expect.objectContaining(failure('EADDRINUSE', 'set COMMITTEE_LISTEN')),
      })
    }))

  test('a members file that is missing, or lacks this key or the address of another member', () =>
    withBench({}, async ({ faults, folder }) => {
      const isFound = async (COMMITTEE_PEERS: string, found: string, cure: string | null) =>
        expect(await faults({ COMMITTEE_PEERS, COMMITTEE_LISTEN: '127.0.0.1:0' })).toMatchObject({
          COMMITTEE_PEERS: failure(found, cure),
        })
      await isFound(`${folder.path}/missing.json`, 'missing.json does not exist', 'name a members file')
      await isFound(
        await writeMembers(folder, { own: false, address: true }),
        'no member with the key of ATTESTER_KEY_PATH',
        'add it',
      )
      await isFound(
        await writeMembers(folder, { own: true, address: false }),
        'COMMITTEE_PEERS needs the address',
        null,
      )
    }))

  test('an agent that already runs', () =>
    withBench({}, async ({ faults, folder }) => {
      using _lock = acquireLock(`${folder.path}/state/lock`, 'agent')
      expect(await faults()).toMatchObject({
        AGENT_PORT: { state: 'warned', found: expect.stringContaining('an agent runs') },
      })
    }))

  test('a feeds file with a fault', () =>
    withBench({}, async ({ faults, folder }) => {
      const path = folder.write('wrong.json', '[{}]')
      expect(await faults({ FEEDS_FILE: path })).toMatchObject({
        FEEDS_FILE: failure('wrong.json: entry 0', null),
      })
    }))
})
