import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSnapshot, folderFiles } from '../src/disk/index.ts'
import {
  EIA_RECORD,
  type EiaRecord,
  formatEiaRecord,
  MAX_EIA_RECORD_BYTES,
  parseEiaRecord,
  readEiaRecord,
} from '../src/eiaRecord.ts'
import { DatasetError } from '../src/errors.ts'
import { inventLeaves, snapshotOf } from './snapshotOf.ts'

const record: EiaRecord = {
  metadata: {
    id: 'retail-sales',
    name: 'Electricity Sales to Ultimate Customers',
    frequency: [{ id: 'monthly', format: 'YYYY-MM' }],
    data: { price: { units: 'cents per kilowatthour' } },
  },
  levels: [
    { id: '', name: '', description: null },
    { id: 'electricity', name: 'Electricity', description: 'EIA electricity survey data' },
  ],
  description: 'Electricity sales to ultimate customers',
  dateFormat: 'YYYY-MM',
  apiVersion: '2.1.8',
  members: ['period', 'stateid', 'stateDescription', 'price', 'price-units'],
  unitMembers: new Map([['price', 'price-units']]),
  names: [
    {
      member: 'stateDescription',
      facet: 'stateid',
      texts: new Map([
        ['', null],
        ['10', 'ten'],
        ['CA', 'California'],
        ['__proto__', 'no prototype'],
      ]),
    },
  ],
}

const filesOf = (text: string | null) => ({
  read: async (path: string, maxBytes: number) =>
    path === EIA_RECORD && maxBytes === MAX_EIA_RECORD_BYTES && text !== null
      ? new TextEncoder().encode(text)
      : null,
})

describe('the record of what EIA said', () => {
  test('default: it is read as it was written', async () => {
    expect(await readEiaRecord(filesOf(formatEiaRecord(record)))).toEqual(record)
    const bare = {
      ...{ levels: [], description: null, dateFormat: null, apiVersion: null },
      ...{ metadata: {}, members: [], unitMembers: new Map(), names: null },
    }
    expect(parseEiaRecord(formatEiaRecord(bare))).toEqual(bare)
  })

  test('behavior: a snapshot of an older version has none', async () => {
    expect(await readEiaRecord(filesOf(null))).toBeNull()
  })

  test('behavior: names that are too large are left out', () => {
    const long = 'x'.repeat(MAX_EIA_RECORD_BYTES - 2_000)
    const namesOf = (text: string) => [{ member: 'a', facet: 'b', texts: new Map([['c', text]]) }]
    const fits = parseEiaRecord(formatEiaRecord({ ...record, names: namesOf(long) }))
    expect(fits.names).toEqual(namesOf(long))
    expect(
      parseEiaRecord(formatEiaRecord({ ...record, names: namesOf(`${long}${'€'.repeat(700)}`) })),
    ).toEqual({
      ...record,
      names: null,
    })
  })

  test('behavior: so is metadata that is too large, and then all else', () => {
    const long = 'x'.repeat(MAX_EIA_RECORD_BYTES)
    const withMetadata = { ...record, metadata: { long } }
    const kept = { ...record, metadata: {}, names: null }
    expect(parseEiaRecord(formatEiaRecord(withMetadata))).toEqual(kept)
    expect(parseEiaRecord(formatEiaRecord({ ...withMetadata, names: null }))).toEqual(kept)
    expect(parseEiaRecord(formatEiaRecord({ ...withMetadata, description: long }))).toEqual({
      ...{ levels: [], description: null, dateFormat: null, apiVersion: null },
      ...{ metadata: {}, members: [], unitMembers: new Map(), names: null },
    })
  })

  test('behavior: what a newer version may add is ignored', () => {
    const json = JSON.parse(formatEiaRecord(record))
    const newer = {
      ...{ ...json, more: 1 },
      levels: json.levels.map((level: object) => ({ ...level, more: 1 })),
      names: json.names.map((each: object) => ({ ...each, more: 1 })),
    }
    expect(parseEiaRecord(JSON.stringify(newer))).toEqual(record)
  })

  test.each([
    ['kind', 'wattfeed dataset facets', 'does not record what EIA said'],
    ['metadata', [], 'metadata is missing or malformed'],
    ['metadata', undefined, 'metadata is missing or malformed'],
    ['levels', [{ id: 'a', name: 1, description: null }], 'levels is missing or malformed'],
    ['levels', [{ id: null, name: null, description: null }], 'levels is missing or malformed'],
    ['levels', [{ id: 'a', name: null }], 'levels is missing or malformed'],
    ['description', 1, 'description is missing or malformed'],
    ['date_format', undefined, 'date_format is missing or malformed'],
    ['api_version', 2, 'api_version is missing or malformed'],
    ['members', ['a', null], 'members is missing or malformed'],
    ['unit_members', { price: null }, 'unit_members is missing or malformed'],
    ['unit_members', ['price-units'], 'unit_members is missing or malformed'],
    ['names', undefined, 'names is missing or malformed'],
    ['names', [{ member: 'a', facet: 'b', texts: { c: 1 } }], 'names is missing or malformed'],
    ['names', [{ member: 'a', facet: 'b' }], 'names is missing or malformed'],
    ['names', [{ member: 'a', texts: {} }], 'names is missing or malformed'],
    ['names', [{ facet: 'b', texts: {} }], 'names is missing or malformed'],
  ])('error: with %s %p, %s', async (name, value, rule) => {
    const text = JSON.stringify({ ...JSON.parse(formatEiaRecord(record)), [name]: value })
    const error: unknown = await readEiaRecord(filesOf(text)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(DatasetError)
    expect(error).toMatchObject({ what: 'eia.json', rule })
  })

  test('error: no JSON', () => {
    expect(readEiaRecord(filesOf('{'))).rejects.toThrow('eia.json: does not record what EIA said')
  })
})

describe('checkSnapshot', () => {
  test('default: a record is well-formed or missing', async () => {
    using written = await snapshotOf(inventLeaves(5))
    writeFileSync(join(written.path, EIA_RECORD), formatEiaRecord(record))
    expect(await checkSnapshot(folderFiles(written.path))).toEqual(written.manifest)
  })

  test('error: a malformed record', async () => {
    using written = await snapshotOf(inventLeaves(5))
    writeFileSync(join(written.path, EIA_RECORD), formatEiaRecord(record).replace('"members"', '"other"'))
    expect(checkSnapshot(folderFiles(written.path))).rejects.toThrow(
      'eia.json: members is missing or malformed',
    )
  })
})
