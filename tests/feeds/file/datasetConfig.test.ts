import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { awaitedCalendar } from '../../../src/agent/intervals.ts'
import { feedMetadata, listRecipeDifferences } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { checkFeeds } from '../../../src/operator/feeds/check/checkFeeds.ts'
import { estimateCosts } from '../../../src/operator/feeds/costs.ts'
import { newDataset } from '../../../src/operator/feeds/new/newDataset.ts'
import { datasetConfig, weekly } from '../../agent/datasets/fakes.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'

async function load(entries: readonly object[]) {
  using folder = createFolder()
  const file = folder.write('feeds.json', JSON.stringify(entries))
  const found = await loadFeeds(file).catch((error: Error) => error.message.replaceAll(`${file}: `, ''))
  return found
}

const spot = datasetConfig()
const recipe = 'eia-dataset:1;value;1;duoarea,process,product,series'
const where = `entry 0 (${JSON.stringify(spot.feed_id)}): `

describe('a dataset in a feeds file', () => {
  test('default: beside a series; its columns may be absent', async () => {
    const whole = { ...weekly, dataset: { periods: null } }
    expect(await load([spot, createConfig(), whole])).toEqual([spot, createConfig(), whole])
  })

  test.each<[string, object, string]>([
    [
      'another id',
      { feed_id: 'EIA.SPOT' },
      `entry 0 ("EIA.SPOT"): the id of this dataset's feed must be ${spot.feed_id}; write "feed_id": "${spot.feed_id}"`,
    ],
    ['another unit', { unit: 'rows' }, `${where}unit is "rows": it must be "values"`],
    ['decimals', { decimals: 2 }, `${where}decimals is 2: it must be 0`],
    ['a column of a series', { column: 'value' }, `${where}column is not a known field; remove it`],
    [
      'no periods',
      { dataset: {} },
      `${where}dataset.periods is missing: it must be a number of periods of at least 1, or null for all`,
    ],
    [
      'no columns in a list',
      { dataset: { columns: [], periods: 1 } },
      `${where}dataset.columns is a list: it must be a list of ids of columns, or absent for all`,
    ],
    ['a word for its dataset', { dataset: 'all' }, `${where}dataset is "all": it must be an object`],
    [
      'a route that the catalog lacks',
      { feed_id: 'EIA.DATASET.PETROLEUM.PRI.DAILY', route: 'petroleum/pri' },
      'entry 0 ("EIA.DATASET.PETROLEUM.PRI.DAILY"): the catalog has no dataset petroleum/pri; "feeds datasets" lists those that it has',
    ],
  ])('error: %s', async (_, changes, message) => {
    expect(await load([{ ...spot, ...changes }])).toBe(message)
  })

  test('default: on chain, its description ends with its recipe, once', () => {
    const { description } = feedMetadata(spot)
    expect(description).toBe(`${spot.description}\n${recipe}`)
    expect(feedMetadata({ ...spot, description })).toEqual(feedMetadata(spot))
    expect(listRecipeDifferences(spot, { description })).toEqual([])
  })

  test.each<[string, string, string | null]>([
    ['none', spot.description, null],
    ['one of a series', 'text\neia:value;$/BBL;series=RWTC', null],
    ['one of all periods', `text\n${recipe.replace(';1;d', ';all;d')}`, recipe.replace(';1;d', ';all;d')],
  ])('behavior: a recipe on chain differs: %s', (_, description, on_chain) => {
    expect(listRecipeDifferences(spot, { description })).toEqual([
      { field: 'recipe', configured: recipe, on_chain },
    ])
  })

  test('behavior: it waits for the releases of EIA that its series do', () => {
    expect(awaitedCalendar(weekly, undefined)?.rule).toEqual(
      awaitedCalendar({ ...weekly, facets: { series: 'NW2_EPG0_SWO_R48_BCF' } }, undefined)?.rule,
    )
    expect(awaitedCalendar(weekly, undefined)).not.toBeNull()
  })

  test('behavior: its root costs more than the hash of a series', () => {
    const own = createConfig({ feed_id: spot.feed_id })
    const [root, hash] = estimateCosts([spot, own], null).feeds.map(({ day }) => Number(day.single_motes))
    // 32 more bytes, of which a quarter would be lost as unused payment otherwise.
    expect((root ?? 0) - (hash ?? 0)).toBe((32 * 3_600_000 * 3) / 4)
  })
})

describe('feeds check', () => {
  const detailsOf = async (changes: Parameters<typeof datasetConfig>[0]) => {
    const [found] = await checkFeeds([datasetConfig(changes)], null)
    return [
      found?.is_right,
      ...(found?.checks ?? []).map(({ check, state, detail }) => `${check} ${state}: ${detail}`),
    ]
  }
  const onlyCatalog =
    'newest_period skipped: only the catalog is asked for a dataset; "datasets snapshot" reads it from EIA'

  test('default: route, frequency and columns are compared with the catalog', async () => {
    expect(await detailsOf({})).toEqual([
      true,
      'dataset passed: Spot Prices',
      'frequency passed: daily',
      'column passed: value',
      'facets passed: every one: duoarea, product, process, series',
      onlyCatalog,
    ])
  })

  test('error: a frequency and a column that the dataset does not have', async () => {
    expect(await detailsOf({ frequency: 'hourly', dataset: { columns: ['price'], periods: 1 } })).toEqual([
      false,
      'dataset passed: Spot Prices',
      'frequency failed: the dataset has no frequency hourly; it has monthly, weekly, annual, daily',
      'column failed: the dataset has no column price; it has value',
      'facets passed: every one: duoarea, product, process, series',
      onlyCatalog,
    ])
  })
})

describe('feeds new --dataset', () => {
  const options = { terminal: null, takenIds: new Set<string>() }
  const retail = { route: 'electricity/retail-sales', frequency: 'monthly' }

  test('default: all columns and periods, with the texts of the catalog', async () => {
    expect(await newDataset(retail, options)).toEqual({
      feed_id: 'EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY',
      title: 'Electricity Sales to Ultimate Customers, every series (monthly)',
      description: expect.stringMatching(/./),
      source: 'EIA',
      ...retail,
      frequency: 'monthly',
      dataset: { periods: null },
      unit: 'values',
      decimals: 0,
    })
  })

  test('default: what is given, and it is an entry of a feeds file', async () => {
    const given = {
      ...retail,
      columns: ['price', 'sales'],
      periods: 12,
      title: 'Mine',
      description: 'My own',
    }
    const entry = await newDataset(given, options)
    expect(entry).toMatchObject({
      title: 'Mine',
      description: 'My own',
      dataset: { columns: ['price', 'sales'], periods: 12 },
    })
    expect(await load([entry])).toEqual([entry])
  })

  test.each<[string, Parameters<typeof newDataset>[0], string]>([
    ['no route', {}, '<route> is missing; the dataset must be one of aeo/2014,'],
    [
      'no frequency',
      { route: 'petroleum/pri/spt' },
      '--frequency is missing; the frequency must be one of monthly,',
    ],
    [
      'a column that is none',
      { ...retail, columns: ['prices'] },
      '--columns: unknown column prices; it must be one of',
    ],
    [
      'a dataset that is there',
      { route: spot.route, frequency: spot.frequency },
      `${spot.feed_id} is already in the feeds file`,
    ],
  ])('error: %s', async (_, flags, message) => {
    const takenIds = new Set([spot.feed_id])
    expect((await errorOf(newDataset(flags, { terminal: null, takenIds }))).message).toStartWith(message)
  })
})
