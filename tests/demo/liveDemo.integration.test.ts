import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadSigner } from '@wattfeed/casper/transaction'
import { callRpc } from '@wattfeed/casper-devnet/testing/callRpc'
import { DATASET_UNIT } from '@wattfeed/dataset'
import { createEiaClient, findCalendar, startOfPeriod } from '@wattfeed/eia'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { CalendarBody, StatusesBody } from '../../src/api/schemas.ts'
import type { SeriesConfig } from '../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'
import { estimateCosts } from '../../src/operator/feeds/costs.ts'
import { openServer } from '../../src/operator/provenance/attestationSource.ts'
import { isConfirmed, runProvenance } from '../../src/operator/provenance/runProvenance.ts'
import { parseCommand, parseFragment } from '../../src/web/explorer/proof/trust.ts'
import { nextLook } from '../support/nextLook.ts'
import { type Ended, runToEnd } from '../support/program.ts'
import { readPage, shownCommands, snippetsOf } from '../support/snippets.ts'
import { openPage } from '../web/explorer/support/openPage.ts'
import {
  countRows,
  curlUrls,
  type Demo,
  demo,
  exportLines,
  portIsFree,
  printedClient,
  printedFeedList,
  printedSettings,
  startDemo,
  trustOptions,
  urlsIn,
} from './demoProcess.ts'

interface FeedsBody {
  count: number
  feeds: { feed_id: string; unit: string; updated_at: number; value: number }[]
}

const root = join(import.meta.dir, '../..')
/** The balance that accounts of the demo start with. */
const ACCOUNT_MOTES = 1_000_000_000_000_000_000n

const FEED = 'EIA.ELEC.RETAIL.PRICE.TX_RES.MONTHLY'
const page = readPage('docs/agent.md')

/** The blocks of the part about the demo, without the one that starts it. */
function tutorialBlocks(): string[] {
  const [, part = ''] = /^## On the demo$(.*?)^## On the test network$/ms.exec(page) ?? []
  const [start, ...blocks] = [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  expect(start).toEndWith('bun run demo\n')
  return blocks
}

/** A folder like a fresh clone. */
function createClone(): Folder {
  const folder = createFolder()
  for (const name of readdirSync(root))
    if (name !== '.git' && name !== '.wattfeed') symlinkSync(join(root, name), join(folder.path, name))
  return folder
}

describe('demo', () => {
  let running: Demo
  let announcement: string
  let url: string
  /** The settings that the printed line reads. */
  let settings: Readonly<Record<string, string>>

  beforeAll(async () => {
    running = startDemo()
    announcement = await running.announcement
    url = urlsIn(announcement)[0] ?? ''
    settings = printedSettings(announcement)
  })

  afterAll(async () => {
    await running[Symbol.asyncDispose]()
  })

  const readFeeds = async (): Promise<FeedsBody> =>
    (await fetch(`${url}/v1/feeds`)).json() as Promise<FeedsBody>

  test('default: at least 36 live feeds', async () => {
    const { count, feeds } = await readFeeds()
    expect(count).toBeGreaterThanOrEqual(36)
    expect(new Set(feeds.map(({ feed_id }) => feed_id)).size).toBe(count)
  })

  test('behavior: the announcement states that the figures are invented', () => {
    expect(announcement).toContain('development only')
    expect(announcement).toContain('and an agent attests values with signed transactions')
    expect(announcement).toContain('All\nfigures and their history are invented, not EIA statistics')
  })

  test('behavior: what it prints fits 28 lines of 80 characters', () => {
    expect(countRows(announcement, 80)).toBeLessThanOrEqual(28)
  })

  test('behavior: the printed page is served', async () => {
    const { status } = await fetch(/http:\S+\/docs\/demo$/m.exec(announcement)?.[0] ?? '')
    expect(status).toBe(200)
  })

  test('behavior: the newest block is recent at the start', async () => {
    const { measured } = (await (await fetch(`${url}/ready`)).json()) as {
      measured: { block_age_ms: number }
    }
    expect(measured.block_age_ms).toBeLessThan(3_600_000)
  })

  test('behavior: the feeds have a history at the announcement, 1,600 values rounded to hundreds, in at most 550 blocks', async () => {
    const client = printedClient(announcement)
    const [, node = ''] = /in this process \((\S+)\)/.exec(announcement) ?? []
    const counts = await Promise.all((await client.listFeedIds()).map((id) => client.getValueCount(id)))
    const [, shown = ''] = /about ([\d,]+) values/.exec(readPage('README.md')) ?? []
    // The number depends on the day, and some values have been revised since.
    const sum = counts.reduce((sum, count) => sum + count)
    expect(Math.round(sum / 100) * 100).toBe(Number(shown.replace(',', '')))
    const past = await client.getValueHistory('EIA.NG.STORAGE.L48_WORKING.WEEKLY')
    const times = past.map(({ timestamp }) => timestamp)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    // The first value is attested at the time of its release.
    const released = findCalendar({ route: 'natural-gas/stor/wkly', frequency: 'weekly' }, 0)?.releaseOf(
      startOfPeriod('weekly', past[0]?.period ?? 0) ?? Number.NaN,
    )
    expect(Math.floor((times[0] ?? 0) / 1_000)).toBe((released ?? 0) / 1_000)
    expect((Date.now() - (times[0] ?? 0)) / 86_400_000).toBeGreaterThan(7 * 77)
    const { result } = Object(await callRpc(node, 'chain_get_block', {}))
    expect(result.block_with_signatures.block.Version2.header.height).toBeLessThan(550)
  })

  test('behavior: no feed is late, and no release is planned whose period is on chain', async () => {
    const status = (await (await fetch(`${url}/v1/status`)).json()) as StatusesBody
    expect(status.feeds.filter(({ state }) => state !== 'current' && state !== 'due')).toEqual([])
    const calendar = (await (await fetch(`${url}/v1/calendar`)).json()) as CalendarBody
    const today = new Date().toISOString().slice(0, 10)
    const feedsOf = new Map(calendar.schedules.map(({ schedule, feed_ids }) => [schedule, feed_ids]))
    const newest = new Map(status.feeds.map(({ feed_id, period }) => [feed_id, period]))
    const upcoming = calendar.releases.filter(
      // An outlook has all periods. Of a release today, only the day may be known.
      ({ schedule, due_on }) => schedule !== 'short-term-energy-outlook' && due_on > today,
    )
    expect(upcoming.length).toBeGreaterThan(50)
    for (const { schedule, period } of upcoming)
      for (const feedId of feedsOf.get(schedule) ?? [])
        expect([feedId, period > (newest.get(feedId) ?? 0)]).toEqual([feedId, true])
  })

  test('behavior: the printed curl command works', async () => {
    const urls = curlUrls(announcement)
    expect(urls).toHaveLength(1)
    for (const each of urls) expect((await fetch(each)).status).toBe(200)
  })

  test('behavior: the curl command of README.md gets what it shows, but for values and times', async () => {
    const [shown] = shownCommands('README.md').filter(({ words }) => words[0] === 'curl')
    const { pathname } = new URL(`http://${shown?.words.at(-1)}`)
    const body = (await (await fetch(`${url}${pathname}`)).json()) as Record<string, unknown>
    const written = JSON.parse(shown?.output.replace(' …,', '') ?? '') as Record<string, unknown>
    const names = Object.keys(written)
    expect(names.map((name) => typeof body[name])).toEqual(names.map((name) => typeof written[name]))
    const texts = (of: Record<string, unknown>) => [of.feed_id, of.title, of.unit, of.decimals]
    expect(texts(body)).toEqual(texts(written))
  })

  test('behavior: the server shows the values that the agent attests', async () => {
    const before = new Set(
      (await readFeeds()).feeds.map(({ feed_id, updated_at }) => `${feed_id} ${updated_at}`),
    )
    const printed = (await running.until('\n\n')).length
    const text = await running.until('(revision, ', printed)
    expect(text).toContain('revision')
    const hasChanged = async (): Promise<boolean> =>
      (await readFeeds()).feeds.some(({ feed_id, updated_at }) => !before.has(`${feed_id} ${updated_at}`))
    // The printed revision may have been on chain at the first look; then the next one counts.
    while (!(await hasChanged())) await nextLook()
  })

  test('behavior: a dataset has five years, and an earlier root of each of the two releases before', async () => {
    const series =
      'route=electricity/retail-sales&frequency=monthly&column=price&facet.stateid=CA&facet.sectorid=COM'
    const read = async (path: string) => Object(await (await fetch(`${url}/v1/series/${path}`)).json())
    const history = await read(`history?${series}`)
    expect(history.items).toHaveLength(60)
    expect(history.index).toBeGreaterThanOrEqual(2)
    const first = await read(`history?${series}&index=0`)
    expect(first.items).toHaveLength(60)
    expect(first.items.at(-1).period).toBe(history.items.at(-3).period)
    const codes = Object(
      await (
        await fetch(
          `${url}/v1/datasets/codes?route=electricity/retail-sales&frequency=monthly&facet=stateid&q=california`,
        )
      ).json(),
    )
    expect(readPage('docs/datasets.md')).toContain(`"values":${codes.codes[0].values}}`)
  })

  test('behavior: the commands of docs/demo.md work, and verify a value and a series from the first block', async () => {
    const [, sourced, ...blocks] = snippetsOf('docs/demo.md', 'sh')
    expect(sourced).toStartWith('source ')
    const script = ['set -e', ...exportLines(announcement), ...blocks]
      .join('\n')
      .replaceAll('http://localhost:4030', url)
      .replaceAll('npx -y bun@1.4.4', 'bun')
      // It has no end.
      .replace(/^curl -N .*$/m, '')
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const { exitCode, stdout, stderr } = await runToEnd(['bash', '-c', script], { PATH: path }, root)
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    expect(stdout.match(/^proven: /gm)).toHaveLength(2)
    expect(stdout).toContain('\nproven: EIA.PET.PRICE.WTI.DAILY = ')
    expect(stdout).toContain(
      '\nproven: electricity/retail-sales monthly price sectorid=COM stateid=CA newest ',
    )
  })

  test('behavior: the fragment of the printed address has the trust options of the command', () => {
    const address = new URL(/http:\S+#proof\S+/.exec(announcement)?.[0] ?? '')
    const named = parseFragment(address.hash)
    expect(Object.keys(named)).toHaveLength(4)
    expect(named).toEqual(parseCommand(trustOptions(announcement).join(' ')))
    expect([address.origin, address.search]).toEqual([new URL(url).origin, ''])
  })

  test('behavior: provenance confirms every attestation, given the addresses of the server and the source', async () => {
    const baseUrl = settings.EIA_BASE_URL ?? ''
    const eia = createEiaClient({ baseUrl, apiKey: 'demo', requestsPerSecond: 1_000 })
    const { feeds } = await readFeeds()
    // A root is checked by "datasets check".
    for (const { feed_id } of feeds.filter(({ unit }) => unit !== DATASET_UNIT)) {
      const source = await openServer(url, feed_id)
      const report = await runProvenance({
        feedId: feed_id,
        source,
        rows: { eia },
        index: 'all',
        progress() {},
      })
      // The source changes: revised values match a later attestation, now or after the next one.
      expect([feed_id, isConfirmed(report)]).toEqual([feed_id, true])
    }
  })

  test('behavior: the file of the printed line has another command read the same chain', async () => {
    const { feeds } = await printedFeedList(announcement)
    expect(feeds).toHaveLength(38)
    expect(feeds.every((feed) => feed.is_registered && feed.differences.length === 0)).toBe(true)
  })

  describe('docs/agent.md on it', () => {
    let folder: Folder
    let atStart: bigint
    let ran: Ended

    const readBalance = async (): Promise<bigint> => {
      const { signer } = await loadSigner(settings.ATTESTER_KEY_PATH ?? '')
      const identifier = { main_purse_under_account_hash: signer.accountHash }
      const { result } = Object(
        await callRpc(settings.CASPER_RPC_URL ?? '', 'query_balance', { purse_identifier: identifier }),
      )
      return BigInt(result.balance)
    }

    beforeAll(async () => {
      atStart = await readBalance()
      folder = createClone()
      const script = [
        // If a command fails, the agent must not outlive the shell.
        "set -e; trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT",
        ...exportLines(announcement),
        ...tutorialBlocks().map((block) => block.replaceAll('http://localhost:4030', url)),
      ].join('\n')
      const { host } = new URL(url)
      // The page's port, and the agent's, may be in use.
      ran = await runToEnd(
        ['bash', '-c', script.replaceAll('localhost:4030', host)],
        { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, AGENT_PORT: '0' },
        folder.path,
      )
    })

    afterAll(() => folder?.[Symbol.dispose]())

    test('default: every command succeeds', () => {
      expect([ran.exitCode, ran.exitCode === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, ''])
      expect(ran.stdout).toContain(`${FEED}  right  `)
      expect(ran.stdout).toMatch(
        new RegExp(`^${FEED} +new-period .* cents per kilowatt-hour +[0-9a-f]{64}$`, 'm'),
      )
    })

    test('behavior: the output is about one feed of one’s own', () => {
      expect(ran.stdout).toContain('\n1 feed, 0.0329 values a day')
      expect(ran.stderr).toContain('(1 is already on chain)')
      expect(ran.stdout).not.toContain('docs/units.md')
    })

    test('default: the feed has a value', async () => {
      const feed = await (await fetch(`${url}/v1/feeds/${FEED}`)).json()
      expect(feed).toMatchObject({ feed_id: FEED, unit: 'cents/kWh', decimals: 6 })
      expect(Object(feed).value).toBeGreaterThan(0)
    })

    test('default: the feed has a chart of the past', async () => {
      const answer = await fetch(`${url}/embed/feeds/${FEED}`)
      const chart = await answer.text()
      expect([answer.status, chart.includes('<svg')]).toEqual([200, true])
      const history = await (await fetch(`${url}/v1/feeds/${FEED}/history?vintages=latest`)).json()
      const periods = Object(history).items.map(({ period }: { period: number }) => period)
      expect(periods.length).toBeGreaterThan(11)
      expect(periods).toContain(202509)
    })

    test('default: the value is proven from the chain’s first block', async () => {
      const { exitCode, stdout } = await runToEnd([
        ...[process.execPath, join(root, 'src/index.ts'), 'verify', `${url}/v1/feeds/${FEED}/proof`],
        ...['--trust', settings.GENESIS_HASH ?? '', '--chain-name', settings.CASPER_CHAIN_NAME ?? ''],
        ...['--feed-registry', settings.FEED_REGISTRY_PACKAGE_HASH ?? ''],
        ...['--attestation-registry', settings.ATTESTATION_REGISTRY_PACKAGE_HASH ?? ''],
      ])
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`proven: ${FEED} = `)])
    })

    test.skipIf(!hasBrowser)('default: the printed address leads to a green padlock', async () => {
      const address =
        new RegExp(`http://[\\w.:]+/explorer/feeds/${FEED}#proof\\S+$`, 'm').exec(ran.stdout)?.[0] ?? ''
      await using opened = await openPage(address)
      await opened.page.getByRole('button', { name: 'Trust this and check' }).click()
      await opened.page.locator('.verdict.is-checked').waitFor()
      expect(opened.faults).toEqual([])
    })

    test('behavior: the key is not the agent’s, and only its owner can read it', async () => {
      const path = settings.ATTESTER_KEY_PATH ?? ''
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
      const { signer } = await loadSigner(path)
      const agents = await (await fetch(`${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY/attester`)).json()
      expect(JSON.stringify(agents)).not.toContain(signer.accountHash)
      const own = await (await fetch(`${url}/v1/feeds/${FEED}/attester`)).json()
      expect(JSON.stringify(own)).toContain(signer.accountHash)
    })

    test('behavior: the costs are those of the page', async () => {
      const cspr = (motes: bigint | string): string => (Number(motes) / 1e9).toFixed(1)
      const shown = (start: string): string => {
        const row = page.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? ''
        return row.split('|').slice(2).join(' ').replaceAll(',', '').trim()
      }
      expect(shown('become eligible')).toBe((Number(ACCOUNT_MOTES - atStart) / 1e9).toFixed(0))
      const [, registered = ''] = /executed +cost ([\d.]+) CSPR/.exec(ran.stdout) ?? []
      expect(shown('register a feed')).toBe(Number(registered).toFixed(1))
      const [, periods = '', paid = ''] =
        /attested (\d+) periods of[^\n]*\npaid ([\d.]+) CSPR/.exec(ran.stdout) ?? []
      // The demo invents other values at another hour, and longer ones cost a little more.
      const each = Number(paid) / Number(periods)
      expect(Number(shown('attest each past value, after'))).toBeWithin(each - 0.1, each + 0.1)
      const feeds = await loadFeeds(join(folder.path, '.wattfeed/my-feeds.json'))
      const costOf = (frequency: SeriesConfig['frequency']): string => {
        const { month } = estimateCosts(
          feeds.map((feed) => ({ ...feed, frequency })),
          null,
        )
        return [...new Set([month.batched_motes, month.single_motes].map(cspr))].join(' to ')
      }
      const [, single = ''] = /"charged_motes":"(\d+)"/.exec(ran.stderr) ?? []
      // The estimate is an upper bound.
      expect(costOf('monthly').endsWith(cspr(single))).toBe(true)
      expect(costOf('monthly').startsWith(shown('attest each past value, before'))).toBe(true)
      for (const [article, frequency] of [
        ['an', 'annual'],
        ['a', 'monthly'],
        ['a', 'weekly'],
        ['a', 'daily'],
        ['an', 'hourly'],
      ] as const)
        expect([frequency, shown(`attest ${article} ${frequency} feed`)]).toEqual([
          frequency,
          costOf(frequency),
        ])
    })
  })

  test('behavior: a signal stops everything, exit code 0, and removes the key', async () => {
    const addresses = [...urlsIn(announcement), settings.EIA_BASE_URL ?? '']
    const origins = new Set(addresses.map((each) => new URL(each).origin))
    expect(origins.size).toBe(3)
    running.signal('SIGINT')
    expect(await running.exitCode).toBe(0)
    for (const origin of origins) expect(await portIsFree(origin)).toBe(true)
    expect(existsSync(dirname(settings.ATTESTER_KEY_PATH ?? ''))).toBe(false)
  })
})

test.each(['abc', '99999', '-1'])('error: DEVNET_PORT %s', async (port) => {
  const { exitCode, stderr } = await runToEnd([process.execPath, demo], { DEVNET_PORT: port })
  expect([exitCode, stderr]).toEqual([
    1,
    `demo: DEVNET_PORT is "${port}": it must be a whole number from 0 to 65535; unset it for 11101\n`,
  ])
})
