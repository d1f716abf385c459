import { describe, expect, test } from 'bun:test'
import { clientOf } from '@wattfeed/eia/testing/eiaClientOf'
import { errorOf } from '@wattfeed/testing/errorOf'
import { answerEia } from '../../../packages/eia/src/answerEia.ts'
import { readNewestRow } from '../../../src/agent/look/newestRow.ts'
import { createFakeEia, feedOf, observeSettings, rowOf } from '../run/fakes.ts'
import { createPeriodBench, feed, november } from '../run/periodBench.ts'

const far = rowOf({ period: '2027-03-05', value: '999' })

function createBench(rows: ReturnType<typeof november>, config = feed, isClockOff = () => false) {
  const { eia, asked } = createFakeEia(() => rows)
  const warned: string[] = []
  const read = () =>
    readNewestRow(
      config,
      observeSettings({
        eia,
        warnOnce: (feedId, message) => void warned.push(`${feedId}: ${message}`),
        isClockOff,
      }),
    )
  return { read, asked, warned }
}

describe('readNewestRow', () => {
  test('default: the newest row, without an end parameter', async () => {
    const { read, asked, warned } = createBench(november(18, 17))
    const { row, series } = await read()
    expect([row.period, series.end, asked, warned]).toEqual(['2026-11-18', undefined, ['newest 2'], []])
  })

  test('behavior: a row of a distant period is reported, and hides no earlier row', async () => {
    const { read, asked, warned } = createBench([far, ...november(18, 17)])
    const { row, series } = await read()
    expect([row.period, series.end]).toEqual(['2026-11-18', '2026-11-20'])
    expect(asked).toEqual(['newest 2', 'newest 2, up to 2026-11-20'])
    expect(warned).toEqual([
      expect.stringContaining('EIA.A: EIA lists a row for 2027-03-05, which cannot have a value yet'),
    ])
  })

  test('behavior: such rows of any period are one thing to warn about', async () => {
    const about = new Set<string | undefined>()
    for (const period of ['2027-03-05', '2027-03-06'])
      await readNewestRow(
        feed,
        observeSettings({
          eia: createFakeEia(() => [rowOf({ period }), ...november(18)]).eia,
          warnOnce: (_, text, what = text) => void about.add(what),
        }),
      )
    expect(about.size).toBe(1)
  })

  test('behavior: without a report while the clock is wrong, which may be the reason', async () => {
    let isClockOff = true
    const { read, warned } = createBench([far, ...november(18, 17)], feed, () => isClockOff)
    expect([(await read()).row.period, warned.length]).toEqual(['2026-11-18', 0])
    isClockOff = false
    await read()
    expect(warned.length).toBe(1)
  })

  test('behavior: the same for a month that has not ended', async () => {
    const monthly = feedOf('A', { frequency: 'monthly' })
    const rows = ['2026-11', '2026-10'].map((period) => rowOf({ period }))
    expect((await createBench(rows, monthly).read()).row.period).toBe('2026-10')
    const forecasts = createBench(rows, { ...monthly, allow_future: true })
    expect([(await forecasts.read()).row.period, forecasts.warned]).toEqual(['2026-11', []])
  })

  test('behavior: the same for local hours, which no end parameter bounds exactly', async () => {
    const local = feedOf('A', { frequency: 'local-hourly' })
    const hours = ['2026-11-21T06-05', '2026-11-20T08-05', '2026-11-20T07-05', '2026-11-20T06-05']
    const { row, later } = await createBench(
      hours.map((period) => rowOf({ period })),
      local,
    ).read()
    expect([row.period, later]).toEqual(['2026-11-20T07-05', 2])
  })

  test('behavior: a series with only such rows', async () => {
    expect((await createBench([far]).read()).row).toEqual(far)
  })

  test('behavior: a feed catches up on the periods before it', async () => {
    const { run, publish, days, warned } = createPeriodBench({ held: november(12) })
    publish(far, ...november(18, 17, 16, 13, 12))
    expect(await run()).toMatchObject({ decision: 'new-period', result: { period: 20261118 } })
    expect(days()).toEqual([12, 13, 16, 17, 18])
    expect(warned.filter((each) => each.includes('2027-03-05'))).toHaveLength(1)
  })
})

describe('several rows of the newest period', () => {
  const rowsOf = (...values: string[]) => rowsFor('2026-11-18', values)
  const rowsFor = (period: string, values: string[]) =>
    values.map((value) => ({ period, series: 'A', value, 'value-units': '$/BBL' }))

  /** EIA's client over an API that has these rows and one of the day before. */
  function eiaOf(rows: ReturnType<typeof rowsOf>) {
    const metadata = {
      frequency: [{ id: 'daily' }],
      facets: [{ id: 'series' }],
      data: { value: {} },
      defaultFrequency: 'daily',
    }
    const about = { dateFormat: '', frequency: 'daily', data: [], description: '' }
    const dataset = {
      route: feed.route,
      metadata: { response: metadata },
      facets: {},
      data: { response: about },
    }
    const all = [...rows, { ...rows[0], period: '2026-11-17' }]
    const api = {
      datasets: new Map([[feed.route, dataset]]),
      rows: new Map([[feed.route, all]]),
      apiKey: null,
      maxRows: 5_000,
    }
    return clientOf({
      baseUrl: 'https://eia.invalid',
      fetch: async (url) => Response.json(answerEia(api, new URL(url)).body),
    })
  }

  const readFrom = (rows: ReturnType<typeof rowsOf>) =>
    readNewestRow(feed, observeSettings({ eia: eiaOf(rows) }))

  test('behavior: identical rows are merged', async () => {
    expect((await readFrom(rowsOf('5', '5'))).row).toMatchObject({ period: '2026-11-18', value: '5' })
  })

  test('behavior: different rows of a distant period hide nothing', async () => {
    const rows = [...rowsFor('2027-03-05', ['998', '999']), ...rowsOf('5')]
    expect((await readFrom(rows)).row).toMatchObject({ period: '2026-11-18', value: '5' })
  })

  test('error: different rows are ambiguous, in any order', async () => {
    for (const rows of [rowsOf('5', '6'), rowsOf('6', '5')])
      expect((await errorOf(readFrom(rows))).code).toBe('eia_doubled_period')
  })
})
