import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EIA_RECORD, type EiaRecord, formatEiaRecord, type Leaf } from '@wattfeed/dataset'
import type { AnyElysia } from 'elysia'
import type { Client } from 'wattfeed'
import { createFakeClient } from '../fakeClient.ts'
import { type InventedDataset, inventDataset } from '../series/inventedDataset.ts'
import { ask, createTestApp, type TestAppOptions } from '../testApp.ts'

export const RETAIL = 'electricity/retail-sales'

/** Values of two columns by state and sector. The newest price of Alaska is missing, and some values are texts or null. */
export function retailLeaves(months = 3): Leaf[] {
  const leaf = (column: string, place: string, month: number, value: string | null): Leaf => {
    const [stateid = null, sectorid = null] = place.split(' ')
    const period = `2026-${String(month).padStart(2, '0')}`
    const unit = column === 'price' ? 'cents per kilowatt-hour' : 'million kilowatt hours'
    return { route: RETAIL, frequency: 'monthly', column, facets: { stateid, sectorid }, period, value, unit }
  }
  return ['AK RES', 'CA ALL', 'CA RES'].flatMap((place, at) =>
    Array.from({ length: months }, (_, month) => [
      ...(at === 0 && month === months - 1
        ? []
        : [leaf('price', place, month + 1, ['w', null, `1${month}.50`][at] ?? null)]),
      leaf('sales', place, month + 1, `${(at + 1) * 9 + month}`),
    ]).flat(),
  )
}

/** What EIA says of that dataset. */
export const retailRecord: EiaRecord = {
  metadata: {
    id: 'retail-sales',
    name: 'Electricity Sales to Ultimate Customers',
    description: 'Sales by state and sector.',
    frequency: [
      { id: 'monthly', description: 'One data point for each month.', query: 'M', format: 'YYYY-MM' },
      { id: 'annual', description: 'One data point for each calendar year.', query: 'A', format: 'YYYY' },
    ],
    facets: [
      { id: 'stateid', description: 'State / Census Region' },
      { id: 'sectorid', description: 'Sector' },
    ],
    data: {
      revenue: { alias: 'Revenue', units: 'million dollars' },
      sales: { alias: 'Sales', units: 'million kilowatt hours' },
      price: { alias: 'Price', units: 'cents per kilowatt-hour' },
    },
    startPeriod: '2001-01',
    endPeriod: '2026-09',
    defaultDateFormat: 'YYYY-MM',
    defaultFrequency: 'monthly',
  },
  levels: [
    { id: '', name: '', description: '' },
    { id: 'electricity', name: 'Electricity', description: 'EIA electricity survey data' },
  ],
  description: 'Electricity sales to ultimate customers.\n    Sources: Forms EIA-861M',
  dateFormat: 'YYYY-MM',
  apiVersion: '2.1.12',
  members: [
    'period',
    'stateid',
    'stateDescription',
    'sectorid',
    'sectorName',
    'price',
    'sales',
    'price-units',
    'sales-units',
  ],
  unitMembers: new Map([
    ['price', 'price-units'],
    ['sales', 'sales-units'],
  ]),
  names: [
    {
      member: 'stateDescription',
      facet: 'stateid',
      texts: new Map([
        ['AK', 'Alaska'],
        ['CA', 'California'],
      ]),
    },
    { member: 'sectorName', facet: 'sectorid', texts: new Map([['RES', 'residential']]) },
  ],
}

/** Writes what EIA said of a dataset beside each of its snapshots. */
export function record(dataset: InventedDataset, of: EiaRecord): InventedDataset {
  for (const { folder } of dataset.snapshots) writeFileSync(join(folder, EIA_RECORD), formatEiaRecord(of))
  return dataset
}

/** That dataset with what EIA says of it. */
export const inventRetail = async (versions: readonly (readonly Leaf[])[] = [retailLeaves()]) =>
  record(await inventDataset(versions), retailRecord)

/** A client of a chain with several datasets. */
function clientOf(datasets: readonly InventedDataset[]): Client {
  const of = (feedId: string) => datasets.find((each) => each.feedId === feedId)?.client ?? createFakeClient()
  return createFakeClient({
    readings: datasets.flatMap(({ readings }) => readings.slice(-1)),
    getValueCount: (feedId, options) => of(feedId).getValueCount(feedId, options),
    getValueHistory: (feedId, options) => of(feedId).getValueHistory(feedId, options),
    getFeedProof: (feedId, options) => of(feedId).getFeedProof(feedId, options),
  })
}

/** The server with some datasets. */
export const apiOf = (datasets: readonly InventedDataset[], options: TestAppOptions = {}): AnyElysia =>
  createTestApp({
    client: clientOf(datasets),
    datasets: datasets.map(({ place }) => place),
    ...options,
  })

/** An answer, parsed. */
export async function answer(app: AnyElysia, path: string, init?: RequestInit) {
  const response = await ask(app, path, init)
  const body = Object(await response.json())
  return { status: response.status, headers: response.headers, body, response: body.response }
}
