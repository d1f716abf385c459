import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EIA_RECORD, FACETS } from '@wattfeed/dataset'
import { errorOf } from '@wattfeed/testing/errorOf'
import fc from 'fast-check'
import type { UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { COUNTS } from '../../../src/agent/datasets/periodCounts.ts'
import { spotRow, spotRows } from './datasetApi.ts'
import { askAgain, createKeeperBench, filesIn, type KeeperBench, never } from './keeperBench.ts'
import { keyOf } from './memoryEia.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])
const revised = rows.with(1, spotRow('2026-11-20', 'B', '7'))

const newestOf = (some: readonly UpstreamRow[]): string =>
  some
    .map(({ period }) => period ?? '')
    .sort()
    .at(-1) ?? ''

/** The files of the snapshot that is taken of rows, and its root. */
async function freshOf(now: readonly UpstreamRow[], periods: number | null = null) {
  using fresh = createKeeperBench(now, { periods })
  const root = await fresh.take()
  return { root, files: filesIn(join(fresh.out, root)) }
}

describe('the snapshot that is written', () => {
  test('default: it is that which is taken of what EIA has now, file by file', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const later = [spotRow('2026-11-21', 'E'), ...revised.slice(0, -1)]
    bench.api.rows = later
    const adopted = await askAgain(bench, base, [...later.slice(0, 4), ...rows.slice(-1)])
    const { root, files } = await freshOf(later)
    expect(adopted?.manifest).toMatchObject({ root, size: 12, newestPeriod: '2026-11-21' })
    expect(adopted?.counts).toEqual(
      new Map([
        ...[18, 19, 20, 21].map((day) => [`2026-11-${day}`, day === 18 ? 3 : day === 21 ? 1 : 4] as const),
      ]),
    )
    expect(filesIn(join(bench.out, root))).toEqual(files)
    expect(bench.api.requests.length).toBe(1)
    expect(bench.events.at(-1)).toMatchObject({
      event: 'snapshot_adopted',
      feedId: bench.feed.feed_id,
      ...{ manifest: { root }, base, changes: 3, isNew: true, durationMs: 0 },
    })
  })

  test('behavior: of any rows before and now', async () => {
    const row = fc.record({
      day: fc.integer({ min: 10, max: 22 }),
      series: fc.constantFrom('A', 'B', 'CC', 'D', 'Ü'),
      product: fc.constantFrom('EPD2', 'EPCWTI', null),
      value: fc.constantFrom('1.50', '2', null),
    })
    const selector = (each: { day: number; series: string; product: string | null }) =>
      JSON.stringify([each.day, each.series, each.product])
    const some = fc.uniqueArray(row, { minLength: 1, maxLength: 40, selector }).map((list) =>
      list.map(
        ({ day, series, product, value }): UpstreamRow => ({
          ...spotRow(`2026-11-${day}`, series, value),
          ...{ product, 'product-name': product },
        }),
      ),
    )
    const windows = fc.constantFrom(null, 1, 3, 30)
    await fc.assert(
      fc.asyncProperty(some, some, windows, async (before, now, periods) => {
        using bench = createKeeperBench(before, { periods })
        const base = await bench.take()
        bench.api.rows = now
        const asking = askAgain(bench, base, [...before, ...now])
        if (periods !== null && newestOf(now) < newestOf(before)) {
          expect(await errorOf(asking)).toMatchObject({ code: 'window_moved_back', newest: newestOf(before) })
          return expect(bench.roots()).toEqual([base])
        }
        const adopted = await asking
        const fresh = await freshOf(now, periods)
        expect(adopted?.manifest.root ?? base).toBe(fresh.root)
        const without = ({ [EIA_RECORD]: _, ...files }: Record<string, unknown>) => files
        expect(without(filesIn(join(bench.out, fresh.root)))).toEqual(without(fresh.files))
      }),
      { numRuns: 40 },
    )
  })

  test('behavior: when it was read is when its base was', async () => {
    let now = 1_795_000_000_000
    using bench = createKeeperBench(rows, { now: () => now })
    const base = await bench.take()
    now += 600_000
    bench.api.rows = revised
    expect((await askAgain(bench, base, rows))?.manifest.retrievedAt).toBe(1_795_000_000_000)
  })

  test('behavior: one that is there already is used', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    bench.api.rows = revised
    const first = await askAgain(bench, base, rows)
    expect(await askAgain(bench, base, rows)).toEqual(first)
    expect(bench.events.at(-1)).toMatchObject({ event: 'snapshot_adopted', isNew: false })
    expect(bench.roots().length).toBe(2)
  })

  test('behavior: null, and nothing is written, if EIA says the same', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const unknown = [spotRow('2026-11-20', 'AA'), spotRow('2026-11-25', 'A')]
    const written = bench.events.length
    expect(await askAgain(bench, base, [...rows, ...rows, ...unknown])).toBeNull()
    expect(await askAgain(bench, base, [])).toBeNull()
    expect([bench.roots(), bench.events.length]).toEqual([[base], written])
  })

  test('behavior: another unit is another leaf', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const later = rows.with(1, { ...spotRow('2026-11-20', 'B', '20.10'), units: '$/BBL' })
    bench.api.rows = later
    expect((await askAgain(bench, base, rows))?.manifest.root).toBe((await freshOf(later)).root)
  })

  test('behavior: only keys that are named change', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    bench.api.rows = revised.with(7, spotRow('2026-11-19', 'D', '7'))
    const adopted = await askAgain(bench, base, rows.slice(0, 3))
    expect(adopted?.manifest.root).toBe((await freshOf(revised)).root)
  })

  test('error: all leaves are gone', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    bench.api.rows = []
    expect(await errorOf(askAgain(bench, base, rows))).toMatchObject({ code: 'dataset' })
    expect(bench.roots()).toEqual([base])
  })
})

describe('a window of periods', () => {
  test('behavior: a newer period moves it', async () => {
    using bench = createKeeperBench(rows, { periods: 3 })
    const base = await bench.take()
    const later = [...spotRows([21], ['A', 'B']), ...rows]
    bench.api.rows = later
    const adopted = await askAgain(bench, base, later.slice(0, 2))
    expect([adopted?.manifest.root, adopted?.manifest.oldestPeriod]).toEqual([
      (await freshOf(later, 3)).root,
      '2026-11-19',
    ])
  })

  test('behavior: a newer period far ahead leaves nothing of what was there', async () => {
    using bench = createKeeperBench(rows, { periods: 2 })
    const base = await bench.take()
    const later = [...spotRows([25], ['A']), ...rows]
    bench.api.rows = later
    const adopted = await askAgain(bench, base, later.slice(0, 2))
    expect([adopted?.manifest.root, adopted?.manifest.size]).toEqual([(await freshOf(later, 2)).root, 1])
  })

  test('error: it does not move back if the newest period is gone, whatever keys are named', async () => {
    using bench = createKeeperBench(rows, { periods: 2 })
    const base = await bench.take()
    bench.api.rows = rows.slice(4)
    for (const named of [rows.slice(0, 4), rows]) {
      const error = await errorOf(askAgain(bench, base, named))
      expect(error).toMatchObject({ code: 'window_moved_back', newest: '2026-11-20', retryable: true })
    }
    bench.api.rows = []
    expect(await errorOf(askAgain(bench, base, rows))).toMatchObject({ code: 'window_moved_back' })
    expect(bench.roots()).toEqual([base])
  })

  test('behavior: a newest period that keeps a leaf stays', async () => {
    using bench = createKeeperBench(rows, { periods: 2 })
    const base = await bench.take()
    const later = rows.slice(3)
    bench.api.rows = later
    const adopted = await askAgain(bench, base, rows.slice(0, 4))
    expect(adopted?.manifest.root).toBe((await freshOf(later, 2)).root)
  })

  test('behavior: without a window, a newest period that is gone is left out', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    bench.api.rows = rows.slice(4)
    const adopted = await askAgain(bench, base, rows.slice(0, 4))
    expect(adopted?.manifest.root).toBe((await freshOf(rows.slice(4))).root)
  })

  test('behavior: earlier keys that another member names are left out', async () => {
    using bench = createKeeperBench(rows, { periods: 2 })
    const base = await bench.take()
    expect(await askAgain(bench, base, rows.slice(8))).toBeNull()
    expect(bench.roots()).toEqual([base])
  })
})

describe('what EIA says beside the leaves', () => {
  const named = (series: string, name: string) => ({
    ...spotRow('2026-11-21', series),
    'series-description': name,
  })

  async function adoptedRecord(bench: KeeperBench, later: readonly UpstreamRow[]) {
    const base = await bench.take()
    bench.api.rows = later
    const adopted = await askAgain(bench, base, later.slice(0, 1))
    const files = filesIn(join(bench.out, adopted?.manifest.root ?? ''))
    const record = files[EIA_RECORD] as { names: { member: string; texts: object }[] } | undefined
    const names = record && Object.fromEntries(record.names.map(({ member, texts }) => [member, texts]))
    return { names, facets: String(files[FACETS]) }
  }

  test('behavior: a new code has its name in the list of codes and in the record', async () => {
    using bench = createKeeperBench(rows)
    const { names, facets } = await adoptedRecord(bench, [named('E', 'a new series'), ...rows])
    expect(names?.['series-description']).toEqual({
      ...{ A: 'invented', B: 'invented', CC: 'invented', D: 'invented', E: 'a new series' },
    })
    expect(facets).toContain('{"id":"E","name":"a new series","values":1}')
  })

  test('behavior: a member that its facet no longer determines is not recorded; the name of a code stays', async () => {
    using bench = createKeeperBench(rows)
    const { names, facets } = await adoptedRecord(bench, [named('A', 'another name'), ...rows])
    expect(Object.keys(names ?? {})).toEqual(['area-name', 'product-name', 'process-name'])
    expect(facets).toContain('{"id":"A","name":"invented","values":4}')
  })

  test('behavior: a member that differs among the new rows is not recorded', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const added = [named('E', 'one'), { ...named('E', 'two'), period: '2026-11-20' }]
    bench.api.rows = [...added, ...rows]
    const adopted = await askAgain(bench, base, added)
    const files = filesIn(join(bench.out, adopted?.manifest.root ?? ''))
    expect(JSON.stringify(files[EIA_RECORD])).not.toContain('"member":"series-description"')
  })

  test.each(['missing', 'malformed'])(
    'behavior: a base whose record and codes are %s is enough',
    async (fault) => {
      using bench = createKeeperBench(rows)
      const base = await bench.take()
      for (const name of [EIA_RECORD, FACETS]) {
        if (fault === 'missing') rmSync(join(bench.out, base, name))
        else writeFileSync(join(bench.out, base, name), '{')
      }
      bench.api.rows = revised
      const adopted = await askAgain(bench, base, revised.slice(0, 2))
      const { root } = await freshOf(revised)
      expect(adopted?.manifest.root).toBe(root)
      const files = filesIn(join(bench.out, root))
      expect([files[EIA_RECORD], String(files[FACETS]).includes('"name":"invented"')]).toEqual([
        undefined,
        true,
      ])
    },
  )
})

describe('errors', () => {
  test.each([
    ['another root', 'ab'.repeat(32)],
    ['no root', '../x'],
  ])('error: a snapshot that is not here: %s', async (_, root) => {
    using bench = createKeeperBench(rows)
    await bench.take()
    expect(await errorOf(askAgain(bench, `./${bench.roots()[0]}`, rows))).toMatchObject({ code: 'dataset' })
    const error = await errorOf(askAgain(bench, root, rows))
    expect(error.message).toBe(`the snapshot ${root}: is not in the folder of its feed`)
    expect(bench.api.requests).toEqual([])
  })

  test('error: a snapshot without its counts', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    rmSync(join(bench.out, base, COUNTS))
    expect(await errorOf(askAgain(bench, base, rows))).toMatchObject({ what: COUNTS })
  })

  test('error: a snapshot with other columns than the entry names now', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const feed = { ...bench.feed, dataset: { columns: ['price'], periods: null } }
    const asking = bench.keeper.askAgain(feed, base, rows.map(keyOf), never)
    expect(await errorOf(asking)).toMatchObject({ rule: 'has other columns or facets than the feed' })
  })

  test('error: EIA sends no units any more', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    bench.api.rows = revised.map(({ units: _, ...row }) => row)
    expect((await errorOf(askAgain(bench, base, rows))).message).toContain('have no unit of value')
    expect(bench.roots()).toEqual([base])
  })

  test('error: an abort', async () => {
    const stop = new AbortController()
    stop.abort('stopped')
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const asking = bench.keeper.askAgain(bench.feed, base, rows.map(keyOf), stop.signal)
    expect(await asking.catch((error: unknown) => error)).toBe('stopped')
    expect(bench.api.requests).toEqual([])
  })
})
