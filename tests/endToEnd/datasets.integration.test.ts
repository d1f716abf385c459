import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient } from '@wattfeed/eia'
import { createFolder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { takeSnapshot } from '../../src/agent/datasets/takeSnapshot.ts'
import { type DatasetConfig, datasetOf } from '../../src/feeds/file/feedConfig.ts'
import { datasetConfig, weekly } from '../agent/datasets/fakes.ts'
import { createDevnetBench, type DevnetBench, flagshipFeeds } from '../support/devnetBench.ts'
import { startWatchedNode } from '../support/devnetNode.ts'

const spot = datasetConfig({ dataset: { periods: null } })
const storage: DatasetConfig = { ...weekly, dataset: { periods: null } }
const feeds = flagshipFeeds.filter(({ feed_id }) => feed_id === 'EIA.PET.STOCKS.CRUDE_EXSPR.WEEKLY')
const series = { route: spot.route, column: 'value', facets: { series: 'RBRTE' } }

const createBench = async (datasets: readonly DatasetConfig[], own = feeds) => {
  const bench = await createDevnetBench({ feeds: own, datasets })
  // Several pages.
  bench.upstream.api.maxRows = 3
  return bench
}

/** The root, the size and the newest period of a dataset as EIA has it now. */
async function stateOf({ upstream }: DevnetBench, feed: DatasetConfig): Promise<string> {
  using folder = createFolder()
  const { facets, ...dataset } = datasetOf(feed)
  const eia = createEiaClient({ baseUrl: upstream.url, apiKey: 'any', requestsPerSecond: 1_000 })
  const { manifest } = await takeSnapshot({ eia, dataset, facets, out: folder.path, now: Date.now })
  return `${manifest.newestPeriod.replaceAll('-', '')} ${manifest.size} ${manifest.root}`
}

/** The roots that were attested, as {@link stateOf} has them. */
const rootsOf = async (bench: DevnetBench, { feed_id }: DatasetConfig): Promise<string[]> =>
  (await bench.client().getValueHistory(feed_id)).map(
    ({ period, amount, source_hash }) => `${period} ${amount} ${source_hash}`,
  )

const snapshotsIn = (bench: DevnetBench, { feed_id }: DatasetConfig) => {
  const folder = join(bench.folder.path, 'state', 'datasets', feed_id.toLowerCase())
  return readdirSync(folder)
    .filter((name) => name.length === 64)
    .map((root) => join(folder, root))
}

describe('the agent attests roots of datasets', () => {
  test('default: of two in one transaction, beside a series, with their snapshots on disk', async () => {
    await using bench = await createBench([spot, storage])
    const height = await tipHeight(bench.chain.devnet)
    const { exitCode, lines } = await bench.attest()
    expect([exitCode, lines.map(({ decision }) => decision)]).toEqual([0, Array(3).fill('new-period')])
    const [one, two] = [spot, storage].map(({ feed_id }) => lines.find((line) => line.feed_id === feed_id))
    expect(one?.transaction_hash).toBe(two?.transaction_hash ?? '')
    expect((await listExecuted(bench.chain.devnet, height)).length).toBe(2)
    for (const feed of [spot, storage]) {
      expect(await rootsOf(bench, feed)).toEqual([await stateOf(bench, feed)])
      const [folder = '', ...others] = snapshotsIn(bench, feed)
      expect(others).toEqual([])
      expect((await checkSnapshot(folderFiles(folder))).size).toBeGreaterThan(3)
    }
    expect((await bench.attested()).length).toBe(1)
  })

  test('behavior: again if a row has changed or has come; not if nothing has', async () => {
    await using bench = await createBench([spot])
    const states: string[] = []
    const run = async () => {
      states.push(await stateOf(bench, spot))
      const { lines } = await bench.attest()
      return lines.map(({ feed_id, decision }) => (feed_id === spot.feed_id ? decision : '')).join('')
    }
    expect(await run()).toBe('new-period')
    expect(await run()).toBe('unchanged')
    bench.upstream.setRow(series, { period: '2026-11-16', value: '1.5' })
    expect(await run()).toBe('revision')
    bench.upstream.setRow(series, { period: '2026-11-23', value: '1.5' })
    expect(await run()).toBe('new-period')
    bench.upstream.setRow(series, { period: '2026-11-23', value: null })
    expect(await run()).toBe('revision')
    const [first = '', , ...others] = states
    expect(await rootsOf(bench, spot)).toEqual([first, ...others])
    expect(snapshotsIn(bench, spot).length).toBe(2)
  })

  test('error: one that has shrunk is attested only by "feeds attest --accept-shrunk"', async () => {
    await using bench = await createBench([spot])
    bench.upstream.setRow(series, { period: '2026-11-23', value: '1.5' })
    const before = await stateOf(bench, spot)
    await bench.attest()
    bench.upstream.keepPeriods(series, (period) => period !== '2026-11-23')
    const after = await stateOf(bench, spot)
    const failed = await bench.attest()
    const line = failed.lines.find(({ feed_id }) => feed_id === spot.feed_id)
    expect([failed.exitCode, line?.error?.code]).toEqual([2, 'dataset_shrank'])
    expect(await rootsOf(bench, spot)).toEqual([before])
    const attest = (...args: string[]) => bench.run('feeds', ['attest', spot.feed_id, '--json', ...args])
    expect((await attest()).exitCode).toBe(1)
    expect(await attest('--accept-shrunk')).toMatchObject({ exitCode: 0 })
    expect(await rootsOf(bench, spot)).toEqual([before, after])
    expect((await bench.attest()).exitCode).toBe(0)
    expect((await rootsOf(bench, spot)).length).toBe(2)
  })

  test('behavior: while one is read, another feed is attested again', async () => {
    await using bench = await createBench([spot])
    const answer = Promise.withResolvers<Response>()
    bench.upstream.fail(() => answer.promise, { route: spot.route })
    await using agent = bench.start('agent', ['--json', '--interval', 'weekly=1s'])
    await agent.line('"new-period"')
    bench.revise()
    await agent.line('"revision"')
    expect(await rootsOf(bench, spot)).toEqual([])
    // The read is tried again after this.
    answer.resolve(new Response('', { status: 503 }))
    await agent.line(spot.feed_id)
    expect(await rootsOf(bench, spot)).toEqual([await stateOf(bench, spot)])
  })

  test('error: "feeds backfill" has no earlier roots', async () => {
    await using bench = await createBench([spot])
    const { exitCode, stderr } = await bench.run('feeds', ['backfill', spot.feed_id, '--from', '2026-11-01'])
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('EIA does not tell how the dataset was earlier; "feeds attest'),
    ])
  })
})

/** EIA behind a port that tells of each request before it answers. */
function startWatchedEia(url: string, onRequest: () => Promise<void>) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      await onRequest()
      const { pathname, search } = new URL(request.url)
      return fetch(url + pathname + search)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Some more requests than an agent makes of EIA and the node until its root is attested. */
const REQUESTS = 32
const KILLS = IS_SOAK ? 1_000 : 100

test(
  `behavior: killed ${KILLS} times at any request, it attests each state of EIA at most once, and no other root`,
  async () => {
    await using bench = await createBench([spot], [])
    const random = createRandom(1)
    const states: string[] = []
    let left = 0
    let reached = Promise.withResolvers<void>()
    const count = async () => {
      left -= 1
      if (left !== 0) return
      reached.resolve()
      await new Promise(() => {})
    }
    await using eia = startWatchedEia(bench.upstream.url, count)
    await using node = await startWatchedNode({
      async call(method, params) {
        await count()
        return bench.chain.devnet.call(method, params)
      },
    })
    const watched = { EIA_BASE_URL: eia.url, CASPER_RPC_URL: node.url }
    let kills = 0
    for (let round = 0; kills < KILLS; round++) {
      bench.upstream.setRow(series, { period: '2026-11-16', value: `${round}.5` })
      states.push(await stateOf(bench, spot))
      left = 1 + Math.floor(random() * REQUESTS)
      reached = Promise.withResolvers<void>()
      await using agent = bench.start('agent', ['--once'], watched)
      // Sometimes it needs fewer requests, and ends by itself.
      kills += await Promise.race([reached.promise.then(() => 1), agent.ended.then(() => 0)])
      await agent.kill()
      const roots = await rootsOf(bench, spot)
      expect([...new Set(roots)]).toEqual(roots)
      expect(roots.filter((root) => !states.includes(root))).toEqual([])
    }
    expect((await bench.attest()).exitCode).toBe(0)
    expect((await rootsOf(bench, spot)).at(-1)).toBe(states.at(-1) ?? '')
    expect(bench.pending()).toEqual([])
  },
  IS_SOAK ? 7_200_000 : 600_000,
)
