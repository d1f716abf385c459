import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { acquireLock } from '@wattfeed/base/disk'
import { keyMaterial, pemOf, testSigner } from '@wattfeed/casper/testing/keys'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { secrets, withSecrets } from '@wattfeed/testing/secrets'
import { type FeedConfig, feedMetadata } from '../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../src/feeds/file/loadFeeds.ts'
import { formatCspr } from '../src/operator/amounts.ts'
import { createConfig } from './operator/feeds/support/feedConfigs.ts'
import {
  CHAIN_NAME,
  costOf,
  createFeedsChain,
  type FeedsChain,
  type FeedsChainOptions,
} from './operator/feeds/support/feedsChain.ts'
import { wattfeed } from './support/binary.ts'
import { type Ended, runToEnd } from './support/program.ts'
import { ageState, pendingHashes } from './support/state.ts'
import { startTestUpstream, type TestUpstream } from './support/testUpstream.ts'

const command = wattfeed('feeds')
const API_KEY = 'v3ry-s3cret-api-k3y'
const signer = await testSigner()
const wti = createConfig({ upstream_unit: '$/BBL' })
const brent = createConfig({
  feed_id: 'EIA.PET.PRICE.BRENT.DAILY',
  title: 'Brent',
  facets: { series: 'RBRTE' },
  upstream_unit: '$/BBL',
})

interface Bench {
  chain: FeedsChain
  upstream: TestUpstream
  folder: Folder
  settings: Record<string, string>
  run(args: readonly string[], changes?: Record<string, string>): Promise<Ended>
}

/** Runs the program against a chain and an upstream on loopback, with a feeds file of two feeds. */
async function withBench(options: FeedsChainOptions, use: (bench: Bench) => Promise<void>): Promise<void> {
  using folder = createFolder()
  const chain = await createFeedsChain({ time: Date.now, ...options })
  await using endpoint = await startDevnet({ call: chain.answer })
  await using upstream = startTestUpstream()
  const settings = {
    CASPER_RPC_URL: withSecrets(endpoint.url).replace('/t0ken-in-path', ''),
    CASPER_CHAIN_NAME: CHAIN_NAME,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    ATTESTER_KEY_PATH: folder.write('key.pem', pemOf('ed25519')),
    AGENT_STATE_DIR: `${folder.path}/state`,
    FEEDS_FILE: folder.write('feeds.json', `${JSON.stringify([wti, brent], null, 2)}\n`, 0o644),
    EIA_API_KEY: API_KEY,
    EIA_BASE_URL: upstream.url,
    EIA_RPS: '1000',
  }
  const run: Bench['run'] = (args, changes = {}) =>
    runToEnd([...command, ...args], { ...settings, ...changes }, folder.path)
  await use({ chain, upstream, folder, settings, run })
}

const csprOf = async (chain: FeedsChain, hash: string | undefined): Promise<string> =>
  formatCspr(BigInt((await costOf(chain, hash)).charged_motes))

/** What `--json` prints, byte for byte. */
const line = (report: object): string => `${JSON.stringify(report)}\n`

/** What `--json` printed: one object on one line, and nothing else. */
function jsonOf({ stdout }: Ended) {
  expect(stdout.match(/\n/g)).toHaveLength(1)
  return JSON.parse(stdout)
}

describe('list', () => {
  test('default: one object; exit code 2 if a feed differs from its configuration, else 0', () =>
    withBench({}, async ({ chain, run }) => {
      await chain.register(wti.feed_id, { ...feedMetadata(wti), unit: '€/bbl' }, 'stranger')
      const before = await run(['list', '--json'])
      expect([before.exitCode, before.stderr]).toEqual([2, ''])
      const { feeds, ...report } = jsonOf(before)
      expect(report).toEqual({
        command: 'list',
        chain_name: CHAIN_NAME,
        state_root_hash: (await chain.client.snapshot()).stateRootHash,
      })
      expect(feeds).toMatchObject([
        {
          feed_id: wti.feed_id,
          claimant: chain.stranger,
          differences: [{ field: 'unit', configured: '$/bbl', on_chain: '€/bbl' }],
        },
        { feed_id: brent.feed_id, is_configured: true, is_registered: false },
      ])
      await chain.register(wti.feed_id, feedMetadata(wti), 'stranger')
      await chain.register(brent.feed_id, feedMetadata(brent))
      const after = await run(['list'], { ATTESTER_KEY_PATH: '', EIA_API_KEY: '' })
      expect([after.exitCode, after.stderr]).toEqual([0, ''])
      expect(after.stdout).toEndWith('2 registered, 2 configured\n')
    }))

  test('error: a chain that does not exist, without the secrets of its URL', () =>
    withBench({}, async ({ run }) => {
      const nobody = { CASPER_RPC_URL: withSecrets('http://127.0.0.1:1/rpc'), RPC_TIMEOUT_MS: '100' }
      const ended = await run(['list', '--json'], nobody)
      expect([ended.exitCode, jsonOf(ended)]).toMatchObject([
        1,
        { command: 'list', error: { retryable: true } },
      ])
      expect(ended.stderr).toStartWith('feeds: ')
      expect(ended.stdout + ended.stderr).not.toMatch(secrets)
    }))
})

describe('check', () => {
  test('default: all checks with a key; exit code 2 if one fails', () =>
    withBench({}, async ({ run, folder }) => {
      const right = await run(['check', '--json'])
      expect([right.exitCode, right.stderr]).toEqual([0, ''])
      expect(jsonOf(right)).toMatchObject({
        command: 'check',
        feeds_file: `${folder.path}/feeds.json`,
        is_eia_asked: true,
        feeds: [
          { feed_id: wti.feed_id, is_right: true, newest: { period: '2026-11-20', value: '58.46' } },
          { feed_id: brent.feed_id, is_right: true },
        ],
      })
      folder.write('feeds.json', JSON.stringify([wti, { ...brent, facets: { series: 'NOPE' } }]))
      const wrong = await run(['check'])
      expect(wrong.exitCode).toBe(2)
      expect(wrong.stdout).toContain('EIA lists no value NOPE for series')
      expect(wrong.stdout + wrong.stderr).not.toContain(API_KEY)
    }))

  test('behavior: without a key, it names the skipped checks', () =>
    withBench({}, async ({ run, upstream }) => {
      const { exitCode, stdout, stderr } = await run(['check', wti.feed_id], { EIA_API_KEY: '' })
      expect([exitCode, stderr]).toEqual([
        1,
        'feeds: EIA_API_KEY is not set: facet values, newest periods and units were not checked\n',
      ])
      expect(stdout).toContain('skipped  newest period  EIA_API_KEY is not set')
      expect(upstream.requests.size).toBe(0)
    }))

  test('behavior: --write adds a unit that is missing, and then the feed is right', () =>
    withBench({}, async ({ run, folder }) => {
      const { upstream_unit: _, ...lacking } = wti
      const path = folder.write('feeds.json', JSON.stringify([lacking, brent], null, 2))
      const before = await run(['check', '--json'])
      expect([before.exitCode, jsonOf(before).written_units]).toEqual([2, {}])
      const written = await run(['check', '--write', '--json'])
      expect([written.exitCode, jsonOf(written)]).toMatchObject([
        0,
        { written_units: { [wti.feed_id]: '$/BBL' }, feeds: [{ is_right: true }, { is_right: true }] },
      ])
      expect(readFileSync(path, 'utf8')).toBe(JSON.stringify([wti, brent], null, 2))
      expect((await run(['check'])).exitCode).toBe(0)
      const keyless = await run(['check', '--write'], { EIA_API_KEY: '' })
      expect([keyless.exitCode, keyless.stderr]).toEqual([
        1,
        expect.stringContaining('EIA_API_KEY is not set'),
      ])
    }))

  test('behavior: the built-in feeds, from anywhere', async () => {
    using folder = createFolder()
    const { exitCode, stdout } = await runToEnd([...command, 'check'], {}, folder.path)
    expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, '36 checked, 0 wrong'])
  })

  test('error: a feed that the file does not have', () =>
    withBench({}, async ({ run }) => {
      const ended = await run(['check', 'WTI', '--json'])
      const message = `the feeds file has no feed "WTI"; did you mean ${wti.feed_id}?`
      expect([ended.exitCode, jsonOf(ended), ended.stderr]).toEqual([
        1,
        { command: 'check', error: { code: 'unknown_feed', message, retryable: false } },
        `feeds: ${message}\n`,
      ])
    }))

  test('error: a feeds file that is invalid', () =>
    withBench({}, async ({ run, folder }) => {
      folder.write('feeds.json', '[{}]')
      const { exitCode, stdout, stderr } = await run(['check'])
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toContain('feeds.json: entry 0: ')
    }))
})

describe('register', () => {
  test('default: sends one feed; again there is nothing to do; list sees it', () =>
    withBench({}, async ({ chain, run, folder }) => {
      const first = await run(['register', wti.feed_id, '--json'])
      const cost = await costOf(chain, chain.sent[0])
      expect([first.exitCode, first.stderr]).toEqual([0, ''])
      const { blockHeight } = await chain.blockOf(chain.sent[0])
      const report = {
        command: 'register',
        chain_name: CHAIN_NAME,
        account: signer.accountHash,
        is_dry_run: false,
      }
      expect(first.stdout).toBe(
        line({
          ...report,
          feeds: [
            {
              transaction_hash: chain.sent[0],
              block_height: blockHeight,
              payment_motes: '2500000000',
              ...cost,
              differences: [],
              error: null,
              feed_id: wti.feed_id,
              state: 'executed',
            },
          ],
          payment_motes: '2500000000',
          charged_motes: cost.charged_motes,
        }),
      )
      const planned = await run(['register', '--all', '--dry-run', '--json'])
      const notSent = {
        transaction_hash: null,
        block_height: null,
        payment_motes: null,
        consumed_motes: null,
        charged_motes: null,
        differences: [],
        error: null,
      }
      expect(planned.stdout).toBe(
        line({
          ...report,
          is_dry_run: true,
          feeds: [
            { ...notSent, feed_id: wti.feed_id, state: 'done' },
            { ...notSent, payment_motes: '2500000000', feed_id: brent.feed_id, state: 'planned' },
          ],
          payment_motes: '2500000000',
          charged_motes: '0',
        }),
      )
      expect(await chain.registered()).toEqual([{ feedId: wti.feed_id, feed: feedMetadata(wti) }])
      const again = await run(['register', wti.feed_id])
      expect([again.exitCode, again.stdout]).toEqual([
        0,
        `register on casper-net-1 as ${signer.accountHash}\n${wti.feed_id}  done\npaid 0 CSPR\n`,
      ])
      expect(jsonOf(await run(['list', '--json'])).feeds[0]).toMatchObject({
        is_registered: true,
        differences: [],
      })
      expect(pendingHashes(`${folder.path}/state`)).toEqual([])
      expect(first.stdout + again.stdout).not.toMatch(keyMaterial)
    }))

  test('behavior: --all continues after a rejected feed, and exits with 2', () =>
    withBench({}, async ({ chain, run }) => {
      await chain.register(wti.feed_id, feedMetadata(brent), 'stranger')
      const { exitCode, stdout } = await run(['register', '--all'])
      const cost = await csprOf(chain, chain.sent[0])
      expect([exitCode, stdout.split('\n').slice(1)]).toEqual([
        2,
        [
          `${wti.feed_id}    refused   ${' '.repeat(`cost ${cost}`.length)}  ${wti.feed_id} belongs to ${chain.stranger}, but the key belongs to ${signer.accountHash}; use the claimant's key, or give the feed another id`,
          '  title: "Brent" → "WTI spot price"',
          expect.stringMatching(
            /^ {2}description: ".*\\neia:value;\$\/BBL;series=RBRTE" → ".*;series=RWTC"$/,
          ),
          `${brent.feed_id}  executed  cost ${cost}  ${chain.sent[0]}`,
          `paid ${cost}`,
          '',
        ],
      ])
    }))

  test('behavior: --dry-run sends nothing and writes nothing', () =>
    withBench({}, async ({ chain, run, folder }) => {
      const { exitCode, stdout } = await run(['register', '--all', '--dry-run'])
      expect([exitCode, stdout.split('\n').slice(1)]).toEqual([
        0,
        [
          `${wti.feed_id}    planned  pays 2.5 CSPR`,
          `${brent.feed_id}  planned  pays 2.5 CSPR`,
          'would pay 5 CSPR at most; nothing was sent',
          '',
        ],
      ])
      expect([chain.sent, existsSync(`${folder.path}/state`)]).toEqual([[], false])
    }))

  test('behavior: changes are shown, and values are re-scaled only on request', () =>
    withBench({}, async ({ chain, run }) => {
      await chain.register(wti.feed_id, { ...feedMetadata(wti), decimals: 2 })
      await chain.attest(wti.feed_id, { period: 20261119, amount: 5846n })
      const differences = [{ field: 'decimals', on_chain: 2, configured: 6 }]
      const args = ['register', wti.feed_id]
      const refused = await run([...args, '--json'])
      expect([refused.exitCode, jsonOf(refused).feeds]).toMatchObject([
        1,
        [{ state: 'refused', differences, error: { code: 'registration' } }],
      ])
      const planned = await run([...args, '--dry-run', '--rescale-history'])
      expect([planned.exitCode, planned.stdout.split('\n').slice(1, 3)]).toEqual([
        0,
        [`${wti.feed_id}  planned  pays 2.5 CSPR`, '  decimals: 2 → 6'],
      ])
      const meant = await run([...args, '--rescale-history', '--json'])
      expect([meant.exitCode, jsonOf(meant).feeds]).toMatchObject([0, [{ state: 'executed', differences }]])
      expect(await chain.registered()).toEqual([{ feedId: wti.feed_id, feed: feedMetadata(wti) }])
    }))

  test('behavior: many feeds have progress lines, even without a terminal', () =>
    withBench({}, async ({ run, folder }) => {
      const many = Array.from({ length: 12 }, (_, index) => ({ ...wti, feed_id: `EIA.MANY_${index}` }))
      folder.write('feeds.json', JSON.stringify(many))
      const ended = await run(['register', '--all', '--json'])
      expect([ended.exitCode, ended.stderr.trimEnd().split('\n')]).toEqual([
        0,
        ['12 feeds to register, for 30 CSPR at most', '10 of 12 feeds done', '12 of 12 feeds done'],
      ])
      expect(jsonOf(ended).feeds).toHaveLength(12)
    }))

  test('behavior: killed while it waits, it resumes with the same bytes', () =>
    withBench({ looks: 1_000_000 }, async ({ chain, run, folder }) => {
      const child = run(['register', '--all'])
      while (chain.sent.length < 2) await new Promise(setImmediate)
      const lock = `${folder.path}/state/registrations.lock`
      process.kill(Number.parseInt(readFileSync(lock, 'utf8'), 10), 'SIGKILL')
      await child
      const hashes = pendingHashes(`${folder.path}/state`)
      expect(hashes.toSorted()).toEqual([...new Set(chain.sent)].toSorted())
      const listed = (state: string) => hashes.map((transaction_hash) => ({ state, transaction_hash }))
      expect(jsonOf(await run(['register', wti.feed_id, '--dry-run', '--json'])).feeds).toMatchObject(
        listed('pending'),
      )
      chain.hurry()
      const ended = await run(['register', '--all', '--json'])
      expect([ended.exitCode, jsonOf(ended).feeds]).toMatchObject([0, listed('executed')])
      expect([new Set(chain.sent).size, pendingHashes(`${folder.path}/state`)]).toEqual([2, []])
    }))

  test('error: a balance that is too low', () =>
    withBench({ balance: 1n }, async ({ run, chain }) => {
      const ended = await run(['register', '--all', '--json'])
      expect([ended.exitCode, jsonOf(ended).error.code, chain.sent]).toEqual([1, 'preflight', []])
    }))

  test('error: another program registers with the state folder, and is named', () =>
    withBench({}, async ({ run, folder, chain }) => {
      using _agent = acquireLock(`${folder.path}/state/lock`, 'agent')
      using _ = acquireLock(`${folder.path}/state/registrations.lock`, 'register')
      const { exitCode, stderr } = await run(['register', wti.feed_id])
      expect([exitCode, stderr, chain.sent]).toEqual([
        1,
        `feeds: ${folder.path}/state/registrations.lock is locked by process ${process.pid} (register); wait until it ends, or stop it\n`,
        [],
      ])
    }))

  test('error: settings that are missing are all named', async () => {
    const { exitCode, stderr } = await runToEnd([...command, 'register', '--all'])
    const why = 'is not set: it has no default for commands that write to a chain'
    expect([exitCode, stderr.trim().split('\n').toSorted()]).toEqual([
      1,
      [
        `feeds: ATTESTATION_REGISTRY_PACKAGE_HASH ${why}`,
        `feeds: ATTESTER_KEY_PATH ${why}`,
        `feeds: CASPER_CHAIN_NAME ${why}`,
        `feeds: CASPER_RPC_URL ${why}`,
        `feeds: FEED_REGISTRY_PACKAGE_HASH ${why}`,
      ],
    ])
  })

  test('behavior: a key that others can read is a warning, one that is invalid an error', () =>
    withBench({}, async ({ run, folder }) => {
      folder.write('key.pem', pemOf('ed25519'), 0o644)
      const warned = await run(['register', wti.feed_id, '--dry-run'])
      expect([warned.exitCode, warned.stderr]).toEqual([0, expect.stringContaining('run chmod 600 on it')])
      folder.write('key.pem', pemOf('ed25519').slice(0, 60))
      const { exitCode, stderr } = await run(['register', wti.feed_id])
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('does not contain an unencrypted')])
      expect(stderr).not.toMatch(keyMaterial)
    }))
})

describe('attest', () => {
  const value = {
    decision: 'new-period',
    period: 20261120,
    amount: '58460000',
    value: '58.46',
    unit: '$/BBL',
  }

  test('default: attests new values only', () =>
    withBench({}, async ({ chain, run, folder }) => {
      await chain.register(wti.feed_id, feedMetadata(wti))
      ageState(`${folder.path}/state`)
      const first = await run(['attest', wti.feed_id, '--json'])
      expect([first.exitCode, first.stderr]).toEqual([0, ''])
      const report = jsonOf(first)
      const expected = {
        command: 'attest',
        chain_name: CHAIN_NAME,
        is_dry_run: false,
        feed_id: wti.feed_id,
        ...value,
        source_hash: report.source_hash,
        transaction_hash: chain.sent[0],
        error: null,
        transaction_hashes: [chain.sent[0]],
        caught_up: [],
        missing: 0,
        revised: [],
        left_out: [],
        waits_for: null,
        waits_until: null,
        gaps: [],
        signers: [],
        block_height: (await chain.blockOf(chain.sent[0])).blockHeight,
        ...(await costOf(chain, chain.sent[0])),
        settled_before: [],
      }
      expect(report.source_hash).toMatch(/^[0-9a-f]{32}$/)
      expect(first.stdout).toBe(line(expected))
      expect(await chain.client.getValue(wti.feed_id)).toMatchObject({
        period: 20261120,
        amount: 58_460_000n,
        source_hash: report.source_hash,
      })
      const again = await run(['attest', wti.feed_id])
      expect([again.exitCode, again.stdout.split('\n')]).toEqual([
        0,
        [
          `${wti.feed_id}: unchanged`,
          '  period       20261120',
          '  value        58.46 $/BBL',
          '  amount       58460000',
          `  source hash  ${report.source_hash}`,
          'nothing was paid',
          '',
        ],
      ])
      expect(chain.sent).toHaveLength(1)
    }))

  test('behavior: --dry-run needs no key, sends nothing and writes nothing', () =>
    withBench({}, async ({ chain, run, folder }) => {
      await chain.register(wti.feed_id, feedMetadata(wti), 'stranger')
      const ended = await run(['attest', wti.feed_id, '--dry-run', '--json'], { ATTESTER_KEY_PATH: '' })
      expect([ended.exitCode, jsonOf(ended)]).toMatchObject([
        0,
        { is_dry_run: true, ...value, transaction_hash: null },
      ])
      expect(ended.stderr).toContain('claimant and balance are not checked')
      expect([chain.sent, existsSync(`${folder.path}/state`)]).toEqual([[], false])
    }))

  test('behavior: the transaction of a killed run is settled first, and not attested again', () =>
    withBench({ looks: 1_000_000 }, async ({ chain, run, folder }) => {
      await chain.register(wti.feed_id, feedMetadata(wti))
      ageState(`${folder.path}/state`)
      const child = run(['attest', wti.feed_id])
      while (chain.sent.length === 0) await new Promise(setImmediate)
      const [lock = ''] = readdirSync(`${folder.path}/state/owners`).toSorted()
      const holder = readFileSync(`${folder.path}/state/owners/${lock}`, 'utf8')
      expect(holder).toEndWith(' attest\n')
      process.kill(Number.parseInt(holder, 10), 'SIGKILL')
      await child
      chain.hurry()
      const ended = await run(['attest', wti.feed_id, '--json'])
      const { charged_motes } = await costOf(chain, chain.sent[0])
      const settled = { transaction_hash: chain.sent[0], feed_ids: [wti.feed_id], outcome: 'executed' }
      expect([ended.exitCode, jsonOf(ended)]).toMatchObject([
        0,
        {
          decision: 'unchanged',
          transaction_hash: null,
          charged_motes: null,
          settled_before: [{ ...settled, charged_motes }],
        },
      ])
      expect([new Set(chain.sent).size, await chain.client.getValueCount(wti.feed_id)]).toEqual([1, 1])
    }))

  test('error: a new state folder: nothing is sent, and the report has the time from which it may be', () =>
    withBench({}, async ({ chain, run }) => {
      await chain.register(wti.feed_id, feedMetadata(wti))
      const ended = await run(['attest', wti.feed_id, '--json'])
      const [report, exitCode] = [jsonOf(ended), ended.exitCode]
      expect([exitCode, report]).toMatchObject([1, { decision: null, error: { code: 'new_state' } }])
      expect(report.waits_until).toBeGreaterThan(Date.now())
      expect(chain.sent).toEqual([])
    }))

  test('error: a feed of another account: nothing is sent', () =>
    withBench({}, async ({ chain, run }) => {
      await chain.register(wti.feed_id, feedMetadata(wti), 'stranger')
      const ended = await run(['attest', wti.feed_id, '--json'])
      expect([ended.exitCode, jsonOf(ended)]).toMatchObject([
        1,
        { decision: null, transaction_hash: null, error: { code: 'feed_claimed' } },
      ])
      expect(chain.sent).toEqual([])
    }))

  test('error: failed on chain', () =>
    withBench({ losesFeeds: true }, async ({ chain, run, folder }) => {
      await chain.register(wti.feed_id, feedMetadata(wti))
      ageState(`${folder.path}/state`)
      const ended = await run(['attest', wti.feed_id, '--json'])
      expect([ended.exitCode, jsonOf(ended)]).toMatchObject([
        2,
        { decision: null, transaction_hash: chain.sent[0], charged_motes: '2500000000' },
      ])
    }))

  test('error: no key for EIA', () =>
    withBench({}, async ({ run }) => {
      const { exitCode, stderr } = await run(['attest', wti.feed_id], { EIA_API_KEY: '' })
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('EIA_API_KEY is not set')])
    }))
})

describe('history and claimant', () => {
  test('default: read without a key', () =>
    withBench({}, async ({ chain, run }) => {
      await chain.register(wti.feed_id, feedMetadata(wti), 'stranger')
      for (const day of [18, 19])
        await chain.attest(wti.feed_id, { period: 20261100 + day, amount: 1n }, 'stranger')
      const noKeys = { ATTESTER_KEY_PATH: '', EIA_API_KEY: '' }
      const history = await run(['history', wti.feed_id, '--last', '1', '--json'], noKeys)
      expect([history.exitCode, jsonOf(history)]).toMatchObject([
        0,
        { command: 'history', chain_name: CHAIN_NAME, count: 2, values: [{ index: 1, period: 20261119 }] },
      ])
      expect((await run(['history', wti.feed_id], noKeys)).stdout).toStartWith(
        `${wti.feed_id} in $/bbl: 2 of 2`,
      )
      const claimant = await run(['claimant', wti.feed_id, '--json'], noKeys)
      expect([claimant.exitCode, jsonOf(claimant)]).toEqual([
        0,
        { command: 'claimant', chain_name: CHAIN_NAME, feed_id: wti.feed_id, claimant: chain.stranger },
      ])
      expect((await run(['claimant', wti.feed_id], noKeys)).stdout).toBe(`${chain.stranger}\n`)
    }))

  test.each(['history', 'claimant'])('error: %s of a feed that is not registered', (name) =>
    withBench({}, async ({ run }) => {
      const ended = await run([name, 'EIA.NOPE', '--json'])
      expect([ended.exitCode, jsonOf(ended)]).toMatchObject([
        1,
        { command: name, error: { code: 'feed_not_registered' } },
      ])
    }),
  )
})

describe('new', () => {
  const retail = ['new', 'electricity/retail-sales', '--frequency', 'monthly', '--column', 'price']
  const texas = [...retail, '--facet', 'stateid=US', '--facet', 'sectorid=RES']

  test('default: writes the entry, and loses no other', () =>
    withBench({}, async ({ run, folder }) => {
      const path = `${folder.path}/feeds.json`
      const before = readFileSync(path, 'utf8')
      const dry = await run([...texas, '--dry-run', '--json'])
      expect(readFileSync(path, 'utf8')).toBe(before)
      const ended = await run([...texas, '--json'])
      expect([ended.exitCode, ended.stderr.split('\n')]).toEqual([
        0,
        [
          'feeds: took --title "Electricity Sales to Ultimate Customers: price, U.S. Total, residential" from dataset, column and facets',
          'feeds: took --decimals 6 from the newest 4 rows, which have at most 2 digits after the decimal point; 6 are usual for the unit cents/kWh. It cannot change once the feed has values',
          '',
        ],
      ])
      const { feed, ...report } = jsonOf(ended)
      const recipe = 'eia:price;cents per kilowatt-hour;sectorid=RES;stateid=US'
      expect(report).toEqual({ command: 'new', feeds_file: path, is_dry_run: false, recipe })
      expect(jsonOf(dry)).toEqual({ ...report, is_dry_run: true, feed })
      expect(await loadFeeds(path)).toEqual([wti, brent, feed])
      expect(readFileSync(path, 'utf8')).toStartWith(before.trimEnd().slice(0, -2))
      const again = await run([...texas, '--json'])
      expect([again.exitCode, jsonOf(again).error.message]).toEqual([
        1,
        `--id: ${feed.feed_id} is already in the feeds file`,
      ])
    }))

  test('behavior: creates the file, marks the entry as unverified without a key, and warns', () =>
    withBench({}, async ({ run, folder }) => {
      const path = `${folder.path}/mine.json`
      const changes = { FEEDS_FILE: path, EIA_API_KEY: '' }
      const given = ['--unit', 'cents/kWh', '--title', 'Texas', '--decimals', '2']
      const { exitCode, stdout, stderr } = await run([...texas, ...given], changes)
      expect([exitCode, stderr, stdout.trimEnd().split('\n').slice(-2)]).toEqual([
        0,
        'feeds: EIA_API_KEY is not set: the entry is marked "unverified"; set it and run "check" to verify the feed\n',
        [
          'without upstream_unit, nobody can recompute its hashes from the chain: "feeds check --write" sets it',
          `added to ${path}`,
        ],
      ])
      expect(await loadFeeds(path)).toMatchObject([{ unit: 'cents/kWh', unverified: expect.any(String) }])
    }))

  test('error: without a terminal, the missing flag is named', () =>
    withBench({}, async ({ run }) => {
      const { exitCode, stdout, stderr } = await run(['new', 'petroleum/pri/spt'])
      expect([exitCode, stdout, stderr]).toEqual([
        1,
        '',
        'feeds: --frequency is missing; the frequency must be one of monthly, weekly, annual, daily\n',
      ])
    }))

  test('behavior: at a terminal it asks, and standard output stays JSON', () =>
    withBench({}, async ({ settings, folder }) => {
      const out = `${folder.path}/out.json`
      const answers = ['daily', 'brent', 'EIA.MINE', '', '', '', '4']
      const seen = await answerAt(
        ['sh', '-c', `exec "$0" "$@" > '${out}'`, ...command, 'new', 'petroleum/pri/spt', '--json'],
        settings,
        answers,
      )
      expect(seen).toContain('? frequency: ')
      const { feed } = jsonOf({ exitCode: 0, stderr: '', stdout: readFileSync(out, 'utf8') })
      const written: readonly FeedConfig[] = await loadFeeds(`${folder.path}/feeds.json`)
      expect([feed.feed_id, feed.facets, feed.decimals]).toEqual(['EIA.MINE', { series: 'RBRTE' }, 4])
      expect(written.at(-1)).toEqual(feed)
    }))

  test('error: Ctrl-C at a prompt: nothing is written', () =>
    withBench({}, async ({ settings, folder }) => {
      const seen = await answerAt([...command, 'new', 'petroleum/pri/spt'], settings, ['daily', '\u0003'])
      expect(seen).toContain('nothing was written')
      expect(await loadFeeds(`${folder.path}/feeds.json`)).toEqual([wti, brent])
    }))
})

/** Runs a program at a terminal, answers its prompts, and returns all that was shown, without colors. */
async function answerAt(
  args: readonly string[],
  env: Record<string, string>,
  answers: readonly string[],
): Promise<string> {
  let seen = ''
  let typedTo = -1
  let enteredTo = -1
  const decoder = new TextDecoder()
  const child = Bun.spawn([...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    terminal: {
      cols: 500,
      data(terminal, data) {
        seen += stripVTControlCharacters(decoder.decode(data, { stream: true }))
        const answered = seen.split('✔ ').length - 1
        const question = seen.slice(seen.lastIndexOf('? '))
        const answer = answers[answered]
        if (answer === undefined || question.includes('✔ ')) return
        if (typedTo < answered) {
          terminal.write(answer)
          typedTo = answered
        }
        if (enteredTo < answered && isTaken(question, answer)) {
          terminal.write('\r')
          enteredTo = answered
        }
      },
    },
  })
  await child.exited
  return seen
}

/** Whether a question shows what was typed and, if it has choices, the one that is meant by it. */
function isTaken(question: string, typed: string): boolean {
  const [header = '', choice] = question.split(/\r?\n/)
  const isChosen = choice === undefined || !choice.startsWith('❯') || choice.toLowerCase().includes(typed)
  return header.endsWith(typed) && isChosen
}

describe('datasets, facets and costs', () => {
  test('default: each prints one object, and asks EIA for values of facets only', () =>
    withBench({}, async ({ run, upstream }) => {
      const offline = { EIA_API_KEY: '', CASPER_RPC_URL: '' }
      const datasets = await run(['datasets', 'spot', 'crude', '--json', '--offset', '0'], offline)
      expect([datasets.exitCode, jsonOf(datasets)]).toMatchObject([
        0,
        { command: 'datasets', total: 1, datasets: [{ route: 'petroleum/pri/spt' }] },
      ])
      const facets = await run(['facets', 'petroleum/pri/spt', '--json', '--offset', '3'], offline)
      expect([facets.exitCode, jsonOf(facets).facets]).toEqual([0, ['series']])
      const costs = await run(['costs', '--json'], offline)
      expect([costs.exitCode, jsonOf(costs).feeds]).toMatchObject([
        0,
        [{ feed_id: wti.feed_id, values_a_day: 1 }, { feed_id: brent.feed_id }],
      ])
      expect(upstream.requests.size).toBe(0)
      const values = await run(['facets', 'petroleum/pri/spt', 'series', 'cushing', '--json'])
      expect([values.exitCode, jsonOf(values).values]).toMatchObject([0, [{ id: 'RWTC' }]])
      const keyless = await run(['facets', 'petroleum/pri/spt', 'series'], offline)
      expect([keyless.exitCode, keyless.stderr]).toEqual([
        1,
        expect.stringContaining('EIA_API_KEY is not set'),
      ])
    }))
})

describe('progress', () => {
  test('behavior: is shown at a terminal', () =>
    withBench({}, async ({ settings, chain }) => {
      const seen = await answerAt([...command, 'register', wti.feed_id], settings, [])
      const { blockHeight } = await chain.blockOf(chain.sent[0])
      expect(seen).toContain(`${wti.feed_id}: sending ${chain.sent[0]}`)
      expect(seen).toContain(
        `${wti.feed_id}: executed in block ${blockHeight}, cost ${await csprOf(chain, chain.sent[0])}`,
      )
      const attested = await answerAt([...command, 'attest', wti.feed_id], settings, [])
      expect(attested).toContain(`${wti.feed_id}: sending ${chain.sent[1]}`)
      expect(attested).toContain(`${wti.feed_id}: executed, cost ${await csprOf(chain, chain.sent[1])}`)
    }))
})
