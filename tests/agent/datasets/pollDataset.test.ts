import { describe, expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWorkday } from '@wattfeed/eia'
import { clientOf } from '@wattfeed/eia/testing/eiaClientOf'
import { createFolder } from '@wattfeed/testing/folder'
import { answerEia, type UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { createDatasetKeeper } from '../../../src/agent/datasets/datasetKeeper.ts'
import { COUNTS } from '../../../src/agent/datasets/periodCounts.ts'
import { pollDataset } from '../../../src/agent/datasets/pollDataset.ts'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import type { AgentEvent } from '../../../src/agent/events.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import { createFakeChain, createFakeEia, observeSettings } from '../run/fakes.ts'
import { spotRow } from './datasetApi.ts'
import { datasetConfig, takenOf, withoutOthers } from './fakes.ts'

const DAY_MS = 86_400_000
const spot = datasetConfig({ dataset: { columns: ['value'], periods: 5 } })
const series = Array.from({ length: 20 }, (_, number) => `S${number}`)

/** EIA, the agent's folder and the chain in memory. `poll` reads the dataset, and attests what is planned. */
function createBench(feed = spot) {
  const folder = createFolder('in memory')
  const chain = createFakeChain([feed])
  const events: AgentEvent[] = []
  const report = (event: AgentEvent) => void events.push(event)
  let rows: readonly UpstreamRow[] = []
  const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))
  const eia = clientOf({
    baseUrl: 'http://eia',
    async fetch(url) {
      const api = { datasets, rows: new Map([[feed.route, rows]]), apiKey: null, maxRows: 5_000 }
      const { status, body } = answerEia(api, new URL(url))
      return Response.json(body, { status })
    },
  })
  const now = () => Date.UTC(2027, 0, 15)
  const keeper = createDatasetKeeper({
    eia,
    takeSnapshot,
    folder: folder.path,
    keep: 1,
    archived: 0,
    report,
    now,
    random: () => 0,
  })
  const settings = observeSettings({ eia: createFakeEia(() => []).eia, now, report })
  const snapshots = join(folder.path, feed.feed_id.toLowerCase())
  return {
    folder: snapshots,
    events,
    setRows(now: readonly UpstreamRow[]) {
      rows = now
    },
    /** Returns the decision, or what is lost. */
    async poll({ acceptsShrunk = false } = {}): Promise<string> {
      const polled = { settings, openView: chain.openView, keeper, acceptsShrunk }
      const plan = await pollDataset(feed, polled)
      if (plan.error !== null) return 'lost' in plan.error ? String(plan.error.lost) : plan.error.message
      for (const { feed_id, ...value } of plan.steps.flat()) chain.attest(feed_id, value)
      return plan.about.result.decision
    },
    newestRoot: () => chain.historyOf(feed.feed_id).at(-1)?.source_hash ?? '',
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The rows of a day: of the first series, or of all. */
const rowsOf = (day: string, count = series.length): UpstreamRow[] =>
  series.slice(0, count).map((id) => spotRow(day, id))

describe('a dataset over days', () => {
  test('default: Thanksgiving to New Year with 5 periods, each day in two pieces: all is attested', async () => {
    using bench = createBench()
    const decisions: string[] = []
    let rows: UpstreamRow[] = []
    for (let day = Date.UTC(2026, 10, 20) / DAY_MS; day < Date.UTC(2027, 0, 8) / DAY_MS; day++) {
      if (!isWorkday(day)) continue
      bench.setRows([...rowsOf(dayText(day), 3), ...rows])
      decisions.push(await bench.poll())
      rows = [...rowsOf(dayText(day)), ...rows].slice(0, 6 * series.length)
      bench.setRows(rows)
      decisions.push(await bench.poll())
    }
    expect(decisions.length).toBeGreaterThan(60)
    expect([...new Set(decisions)]).toEqual(['new-period', 'revision'])
    expect(bench.events.filter(({ event }) => event === 'snapshot_missing')).toEqual([])
  })

  const days = ['2027-01-04', '2027-01-05', '2027-01-06', '2027-01-07', '2027-01-08']
  const week = days.toReversed().flatMap((day) => rowsOf(day))

  test('error: a fifth is gone: refused until it is back, over the next release, too', async () => {
    using bench = createBench()
    bench.setRows(week)
    expect(await bench.poll()).toBe('new-period')
    const root = bench.newestRoot()
    const some = week.filter(({ series: id }) => !['S0', 'S1', 'S2', 'S3'].includes(id ?? ''))
    bench.setRows(some)
    expect(await bench.poll()).toBe('20 of 100 values from 2027-01-04 to 2027-01-08')
    expect(await bench.poll()).toBe('20 of 100 values from 2027-01-04 to 2027-01-08')
    bench.setRows([...rowsOf('2027-01-11'), ...some])
    expect(await bench.poll()).toBe('8 of 40 values from 2027-01-07 to 2027-01-08')
    // The snapshot of the newest root stays, however many were refused.
    expect([bench.newestRoot(), existsSync(join(bench.folder, root))]).toEqual([root, true])
    bench.setRows([...rowsOf('2027-01-11'), ...week])
    expect(await bench.poll()).toBe('new-period')
  })

  test('error: one that has shrunk is attested if that is accepted, and compared from then on', async () => {
    using bench = createBench()
    bench.setRows(week)
    await bench.poll()
    const without = week.filter(({ period }) => period !== '2027-01-06')
    bench.setRows(without)
    expect(await bench.poll()).toBe('20 of 100 values from 2027-01-04 to 2027-01-08')
    expect(await bench.poll({ acceptsShrunk: true })).toBe('revision')
    bench.setRows(without.slice(1))
    expect(await bench.poll()).toBe('revision')
  })

  test('behavior: without the snapshot of the newest root, a later window is attested, and that is reported', async () => {
    using bench = createBench()
    bench.setRows(week)
    await bench.poll()
    const root = bench.newestRoot()
    rmSync(bench.folder, { recursive: true })
    expect(await bench.poll()).toBe('unchanged')
    expect(bench.events.filter(({ event }) => event === 'snapshot_missing')).toEqual([])
    rmSync(bench.folder, { recursive: true })
    bench.setRows(week.slice(0, 80))
    expect(await bench.poll()).toBe('20 of 100 values')
    bench.setRows([...rowsOf('2027-01-11'), ...week])
    expect(await bench.poll()).toBe('new-period')
    const missing = { event: 'snapshot_missing' as const, feedId: spot.feed_id, root }
    expect(bench.events.filter(({ event }) => event === 'snapshot_missing')).toEqual([missing, missing])
  })

  test.each([
    ['cut', '{"2027-01-04": 20,'],
    ['of another number of values', '{"2027-01-04": 99}'],
    ['no counts', '{"2027-01-04": "100"}'],
  ])('behavior: counts of the newest root that are %s are as good as none', async (_, text) => {
    using bench = createBench()
    bench.setRows(week)
    await bench.poll()
    writeFileSync(join(bench.folder, bench.newestRoot(), COUNTS), text)
    bench.setRows(week.slice(0, 80))
    expect(await bench.poll()).toBe('20 of 100 values')
    expect(bench.events.some(({ event }) => event === 'snapshot_missing')).toBeTrue()
  })
})

test('behavior: the newest attested roots are noted before a snapshot is taken, and the newest again afterwards', async () => {
  const chain = createFakeChain([spot])
  const roots = Array.from({ length: 11 }, (_, number) => number.toString(16).repeat(64))
  const attest = (root = '') =>
    chain.attest(spot.feed_id, { period: 20_261_116, amount: 100n, source_hash: root })
  const noted: string[] = []
  const keeper = {
    ...withoutOthers,
    async take() {
      noted.push('taken')
      attest(roots[10])
      return takenOf()
    },
    countsOf: () => null,
    noteAttested: (_: unknown, root: string) => void noted.push(root),
  }
  const settings = observeSettings({ eia: createFakeEia(() => []).eia })
  const poll = () => pollDataset(spot, { settings, openView: chain.openView, keeper })
  for (const root of roots.slice(0, 10)) attest(root)
  await poll()
  expect(noted).toEqual([...roots.slice(2, 10), 'taken', roots[10] ?? ''])
})
