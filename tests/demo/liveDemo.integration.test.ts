import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createEiaClient, findCalendar, startOfPeriod } from '@wattfeed/eia'
import type { CalendarBody, StatusesBody } from '../../src/api/schemas.ts'
import { openServer } from '../../src/operator/provenance/attestationSource.ts'
import { isConfirmed, runProvenance } from '../../src/operator/provenance/runProvenance.ts'
import { parseCommand, parseFragment } from '../../src/web/explorer/proof/trust.ts'
import { callRpc } from '../support/callRpc.ts'
import { nextLook } from '../support/nextLook.ts'
import { readPage, shownCommands } from '../support/snippets.ts'
import {
  curlUrls,
  type Demo,
  demo,
  portIsFree,
  printedClient,
  printedFeedList,
  startDemo,
  urlsIn,
} from './demoProcess.ts'

interface FeedsBody {
  count: number
  feeds: { feed_id: string; updated_at: number; value: number }[]
}

describe('demo', () => {
  let running: Demo
  let announcement: string
  let url: string

  beforeAll(async () => {
    running = startDemo()
    announcement = await running.announcement
    url = urlsIn(announcement)[0] ?? ''
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
    expect(announcement).toContain('for development only')
    expect(announcement).toContain('and an agent attests values with signed transactions')
    expect(announcement).toContain(
      'All figures are invented, not EIA statistics. Their\nhistory is invented too',
    )
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

  test('behavior: the printed curl commands work', async () => {
    const urls = curlUrls(announcement)
    expect(urls).toHaveLength(4)
    for (const each of urls) {
      const { status, body } = await fetch(each)
      expect(status).toBe(200)
      // The stream has no end.
      await body?.cancel()
    }
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

  test('behavior: the printed command verifies a value from the first block', async () => {
    const command = /npx -y bun@1\.4\.4 run verify ([\s\S]*?)\n\n/.exec(announcement)?.[1] ?? ''
    const args = command.replaceAll('\\\n', ' ').split(/\s+/).filter(Boolean)
    const entry = join(import.meta.dir, '../../src/verify.ts')
    const child = Bun.spawn([process.execPath, entry, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    expect(await new Response(child.stdout).text()).toMatch(
      /^✓ registries[\s\S]*\nproven: EIA\.PET\.PRICE\.WTI\.DAILY = /,
    )
    expect(await child.exited).toBe(0)
  })

  test('behavior: the fragment of the printed address has the trust options of the command', () => {
    const address = new URL(/http:\S+#proof\S+/.exec(announcement)?.[0] ?? '')
    const named = parseFragment(address.hash)
    expect(Object.keys(named)).toHaveLength(4)
    expect(named).toEqual(parseCommand(announcement))
    expect([address.origin, address.search]).toEqual([new URL(url).origin, ''])
  })

  test('behavior: provenance confirms every attestation, given the addresses of the server and the source', async () => {
    const [, baseUrl = ''] = /EIA_BASE_URL=(\S+)/.exec(announcement) ?? []
    const eia = createEiaClient({ baseUrl, apiKey: 'demo', requestsPerSecond: 1_000 })
    const { feeds } = await readFeeds()
    for (const { feed_id } of feeds) {
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

  test('behavior: the printed export lines have another command read the same chain', async () => {
    const { feeds } = await printedFeedList(announcement)
    expect(feeds).toHaveLength(36)
    expect(feeds.every((feed) => feed.is_registered && feed.differences.length === 0)).toBe(true)
  })

  test('behavior: a signal stops everything, exit code 0', async () => {
    const origins = new Set(urlsIn(announcement).map((each) => new URL(each).origin))
    expect(origins.size).toBe(3)
    running.signal('SIGINT')
    expect(await running.exitCode).toBe(0)
    for (const origin of origins) expect(await portIsFree(origin)).toBe(true)
  })
})

/** The demo as a process; the test reads only its standard error. */
const spawnDemo = (env: Record<string, string>) =>
  Bun.spawn([process.execPath, demo], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })

describe('demo without its ports', () => {
  test.each(['abc', '99999', '-1'])('error: DEVNET_PORT %s', async (port) => {
    const child = spawnDemo({ DEVNET_PORT: port })
    expect(await child.exited).toBe(1)
    expect(await new Response(child.stderr).text()).toBe(
      `demo: DEVNET_PORT is "${port}": it must be a whole number from 0 to 65535; unset it for 11101\n`,
    )
  })
})
