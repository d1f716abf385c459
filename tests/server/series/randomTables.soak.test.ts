import { expect, test } from 'bun:test'
import { datasetFeedId } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient } from '@wattfeed/eia'
import { createFolder } from '@wattfeed/testing/folder'
import { IS_SOAK } from '@wattfeed/testing/soak'
import fc from 'fast-check'
import { datasetFeed, rootOf } from 'wattfeed/testing/datasetSnapshot'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { startUpstream } from '../../../src/demo/standIn/upstream.ts'
import { createFakeClient } from '../fakeClient.ts'
import { answerOf, createTestApp } from '../testApp.ts'

const dataset = {
  route: 'electricity/retail-sales',
  frequency: 'monthly',
  columns: ['price', 'sales'],
  periods: 6,
}

const FACETS = ['sectorid', 'stateid']

/** A row of a table, as the API of the stand-in has it. */
type ApiRow = Readonly<Record<string, string | null>>

/** Reads all rows of the newest periods from the stand-in, without the client that the snapshot is read with. */
async function readRows(url: string, start: string): Promise<ApiRow[]> {
  const rows: ApiRow[] = []
  for (;;) {
    const query = new URLSearchParams({
      ...{ api_key: 'any', frequency: dataset.frequency, 'data[0]': 'price', 'data[1]': 'sales', start },
      ...{ 'sort[0][column]': 'period', 'sort[1][column]': 'stateid', 'sort[2][column]': 'sectorid' },
      ...{ offset: String(rows.length), length: '5000' },
    })
    const response = await fetch(`${url}/v2/${dataset.route}/data/?${query}`)
    const { data } = Object(await response.json()).response
    if (data.length === 0) return rows
    rows.push(...data)
  }
}

/** The leaves of rows, in the form of the rows of an answer. */
const leavesOf = (rows: readonly ApiRow[]) =>
  rows.flatMap((row) =>
    dataset.columns.map((column) => ({
      column,
      facets: { sectorid: row.sectorid ?? null, stateid: row.stateid ?? null },
      period: row.period ?? '',
      value: row[column] ?? null,
      unit: row[`${column}-units`] ?? null,
    })),
  )

type TableRow = ReturnType<typeof leavesOf>[number]

const textOf = (row: TableRow, name: string): string =>
  name === 'period' || name === 'column' ? row[name] : (Object(row.facets)[name] ?? '')

function inOrder(rows: readonly TableRow[], sort: readonly string[]): TableRow[] {
  const rest = ['column', ...FACETS, 'period'].filter(
    (name) => !sort.some((key) => key.replace('-', '') === name),
  )
  return rows.toSorted((one, other) => {
    for (const key of [...sort, ...rest]) {
      const name = key.replace('-', '')
      const difference = Buffer.compare(Buffer.from(textOf(one, name)), Buffer.from(textOf(other, name)))
      if (difference !== 0) return key.startsWith('-') ? -difference : difference
    }
    return 0
  })
}

test('behavior: random tables, page by page, have exactly the rows that the stand-in has', async () => {
  await using upstream = startUpstream([])
  using folder = createFolder()
  const feedId = datasetFeedId(dataset.route, dataset.frequency)
  const { manifest } = await takeSnapshot({
    eia: createEiaClient({ baseUrl: upstream.url, apiKey: 'any', requestsPerSecond: 1_000 }),
    ...{ dataset, facets: FACETS, out: `${folder.path}/${feedId.toLowerCase()}`, now: Date.now },
  })
  const { amount, period, source_hash } = rootOf(manifest)
  const reading = {
    ...{ feed_id: feedId, ...datasetFeed(manifest), value: Number(amount) },
    ...{ amount, period, source_hash, updated_at: 1 },
  }
  const client = createFakeClient({
    readings: [reading],
    getValueCount: async () => 1,
    getValueHistory: async () => [{ ...reading, timestamp: 1, attester: 'account-hash-00' }],
  })
  const app = createTestApp({ client, datasets: [folderFiles(folder.path)] })

  const months = 5
  const newest = Date.parse(`${manifest.newestPeriod}-01`)
  const monthOf = (age: number) => {
    const date = new Date(newest)
    date.setUTCMonth(date.getUTCMonth() - age)
    return date.toISOString().slice(0, 7)
  }
  const all = leavesOf(await readRows(upstream.url, monthOf(months)))
  expect(all.length).toBe(manifest.size)

  const some = (name: string) => {
    const known = [...new Set(all.map((row) => textOf(row, name)))]
    return fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, fc.constant('ZZZ')), {
      minLength: 1,
      maxLength: 4,
    })
  }
  const bound = fc.option(fc.nat(months + 1), { nil: undefined })
  const tables = fc.record(
    {
      column: fc.subarray([...dataset.columns], { minLength: 1 }),
      sectorid: some('sectorid'),
      stateid: some('stateid'),
      from: bound,
      to: bound,
      sort: fc.shuffledSubarray(['period', '-column', '-sectorid', 'stateid', '-period'], { maxLength: 3 }),
      limit: fc.constantFrom(7, 100, 1_000, 5_000),
    },
    { requiredKeys: ['sort', 'limit'] },
  )

  await fc.assert(
    fc.asyncProperty(tables, async ({ column, sectorid, stateid, from, to, sort, limit }) => {
      fc.pre(new Set(sort.map((key) => key.replace('-', ''))).size === sort.length)
      const [first, last] = [from, to].map((age) => (age === undefined ? null : monthOf(age)))
      const pairs = [
        ['route', dataset.route],
        ['frequency', dataset.frequency],
        ...(column ?? []).map((id) => ['column', id]),
        ...(sectorid ?? []).map((code) => ['facet.sectorid', code]),
        ...(stateid ?? []).map((code) => ['facet.stateid', code]),
        ...(first === null ? [] : [['period_from', first]]),
        ...(last === null ? [] : [['period_to', last]]),
        ...sort.map((key) => ['sort', key]),
        ['limit', String(limit)],
      ] as [string, string][]
      const expected = inOrder(
        all.filter(
          (row) =>
            (column ?? dataset.columns).includes(row.column) &&
            (sectorid?.includes(row.facets.sectorid ?? '') ?? true) &&
            (stateid?.includes(row.facets.stateid ?? '') ?? true) &&
            (first == null || row.period >= first) &&
            (last == null || row.period <= last),
        ),
        sort,
      )
      const found: TableRow[] = []
      let path: string | null = `/v1/series/table?${new URLSearchParams(pairs)}`
      // Of long tables with small pages, the first pages.
      for (let pages = 0; path !== null && pages < 20; pages++) {
        const { status, body } = await answerOf(app, path)
        expect([status, body.total]).toEqual([200, expected.length])
        const series = (column ?? dataset.columns).length * (sectorid?.length ?? 0) * (stateid?.length ?? 0)
        const isRun = column?.length === 1 && (sectorid?.length ?? 1) === 1 && first === null && last === null
        const isPrefix = stateid === undefined || (sectorid !== undefined && stateid.length === 1)
        expect(body.complete).toBe(series > 0 || (isRun && isPrefix) ? true : null)
        for (const { leaf_index: _, ...row } of body.rows) found.push(row)
        path = body.next
      }
      expect(found).toEqual(path === null ? expected : expected.slice(0, found.length))
    }),
    { numRuns: IS_SOAK ? 1_000 : 60 },
  )
})
