import { expect, test } from 'bun:test'
import { createEiaClient } from '@wattfeed/eia'
import { answerEia, type UpstreamRow } from '@wattfeed/eia/internal'
import { createFolder } from '@wattfeed/testing/folder'
import type { Attestation } from 'wattfeed'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import {
  type DatasetConfig,
  datasetOf,
  type FeedConfig,
  isDataset,
} from '../../../src/feeds/file/feedConfig.ts'
import { spotRows } from '../../agent/datasets/datasetApi.ts'
import { datasetConfig, weekly } from '../../agent/datasets/fakes.ts'
import { feedOf } from '../../agent/run/fakes.ts'
import { runCommittee } from './committeeProcesses.ts'

const series = [feedOf('A'), feedOf('B')]
/** The first has all series of the route, also those of the feeds above. */
const spot = datasetConfig({ dataset: { columns: ['value'], periods: null } })
const storage: DatasetConfig = { ...weekly, dataset: { columns: ['value'], periods: null } }
const datasets = [spot, storage]
const feeds: readonly FeedConfig[] = [...series, ...datasets]

/** What a dataset has besides the series of the feeds. */
const others = Array.from({ length: 40 }, (_, index) => `S${index}`)

const known = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))

/** EIA's API with rows that come and change. */
class StandIn {
  #spot: readonly UpstreamRow[] = []
  #storage: readonly UpstreamRow[] = known.get(storage.route)?.data.response.data ?? []
  readonly #lie: string | null

  /** @param lie the value of every row of A; null for an honest one */
  constructor(lie: string | null) {
    this.#lie = lie
  }

  readonly answer = ({ url, headers }: Request): Response => {
    const rows = new Map([
      [spot.route, this.#spot],
      [storage.route, this.#storage],
    ])
    const api = { datasets: known, rows, apiKey: null, maxRows: 100 }
    const { status, body } = answerEia(api, new URL(url), headers.get('x-params'))
    return Response.json(body, { status })
  }

  /** Publishes a day of November. */
  publish(day: number): void {
    const rows = spotRows([day], ['A', 'B', ...others])
    this.#spot = [
      ...this.#spot,
      ...rows.map((row) => (row.series === 'A' && this.#lie !== null ? { ...row, value: this.#lie } : row)),
    ]
  }

  /** Revises a row of each dataset. */
  revise(): void {
    const [spot, storage] = [this.#spot, this.#storage].map((rows) => rows.at(-1))
    this.#spot = this.#spot.map((row) => (row === spot ? { ...row, value: '7.77' } : row))
    this.#storage = this.#storage.map((row) => (row === storage ? { ...row, value: '777' } : row))
  }
}

/** What EIA has of a feed, as {@link formatValue} has it. */
async function newestOf({ answer }: StandIn, feed: FeedConfig, day: number): Promise<string> {
  if (!isDataset(feed)) return `202611${day} ${day}10`
  using folder = createFolder('in memory')
  const { facets, ...dataset } = datasetOf(feed)
  const fetch = async (url: string): Promise<Response> => answer(new Request(url))
  const eia = createEiaClient({ baseUrl: 'http://eia.test', apiKey: 'any', requestsPerSecond: 1_000, fetch })
  const { manifest } = await takeSnapshot({ eia, dataset, facets, out: folder.path, now: Date.now })
  return `${manifest.newestPeriod.replaceAll('-', '')} ${manifest.size} ${manifest.root}`
}

const formatValue = (feed: FeedConfig, { period, amount, source_hash: root }: Attestation): string =>
  isDataset(feed) ? `${period} ${amount} ${root}` : `${period} ${amount}`

/** What a member has logged of other values: `feed member`, for the feed and the member that has another one. */
const disagreements = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ refusal }) => refusal?.code === 'different_value')
    .map(({ refusal, member, proposer }) => `${refusal.feed_id} ${member ?? proposer}`)

test("behavior: four of five agents attest EIA's values once each, while one is lied to and another is killed", async () => {
  const [honest, lying] = [new StandIn(null), new StandIn('99.99')]
  const both = [honest, lying]
  const eia = [honest, honest, honest, honest, lying].map(({ answer }) => answer)
  const expected = new Map<string, string[]>(feeds.map(({ feed_id }) => [feed_id, []]))
  async function expectNewest(day: number): Promise<void> {
    for (const feed of feeds) expected.get(feed.feed_id)?.push(await newestOf(honest, feed, day))
  }
  for (const each of both) each.publish(12)
  await expectNewest(12)
  await runCommittee({ threshold: 4, feeds, eia }, async ({ members, until, historyOf }) => {
    const attested = async (feed: FeedConfig): Promise<string[]> =>
      (await historyOf(feed.feed_id)).map((value) => formatValue(feed, value))
    /** Whether each feed has this many values. */
    const isAttested = (count: number) => async (): Promise<boolean> => {
      const all = await Promise.all(feeds.map(attested))
      return all.every(({ length }) => length >= count)
    }
    await until(isAttested(1))
    for (const each of both) each.publish(13)
    // The others are one short of a quorum until it signs again. Meanwhile EIA has more to tell.
    await members[0]?.restartAt(1)
    for (const each of both) each.revise()
    await expectNewest(13)
    await until(isAttested(2))

    for (const feed of feeds) expect(await attested(feed)).toEqual(expected.get(feed.feed_id) ?? [])

    // A member that has not signed a snapshot fetches it.
    const isFetched = (feed: DatasetConfig): boolean => {
      const root = expected.get(feed.feed_id)?.at(-1)?.split(' ').at(-1) ?? ''
      return members.every(({ snapshotsOf }) => snapshotsOf(feed.feed_id).includes(root))
    }
    await until(() => datasets.every(isFetched))

    const disagreed = () => members.map(({ logged }) => new Set(disagreements(logged())))
    await until(() => disagreed().every(({ size }) => size > 0))
    const [liar = new Set(), ...rest] = disagreed().toReversed()
    // The one that is lied to says so of the others, and they of it alone.
    for (const each of liar) expect(each).toMatch(/^EIA\.(A|DATASET\.PETROLEUM\.PRI\.SPT\.DAILY) m[0-3]$/)
    for (const each of rest) for (const one of each) expect(one).toEndWith(' m4')
  })
})
