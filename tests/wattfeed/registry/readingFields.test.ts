import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { feedOrder } from '../../../packages/wattfeed/src/registry/feed.ts'
import {
  createReading,
  readingOrder,
  readingToJson,
} from '../../../packages/wattfeed/src/registry/reading.ts'
import { readingBody } from '../../../src/api/schemas.ts'

const specification = readFileSync(new URL('../../../docs/verify-spec.md', import.meta.url), 'utf8')

/** The names in the first column of the specification's table with this header. */
function namesIn(header: string): string[] {
  const [, table = ''] = specification.split(`\n${header}\n`)
  const rows = table.split('\n\n')[0]?.split('\n').slice(1) ?? []
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
}

const feed = {
  description: 'Description',
  frequency: 'hourly',
  route: 'electricity/rto',
  source: 'EIA',
  title: 'Title',
  unit: '€/MWh',
  decimals: 2,
}
const value = { timestamp: 1, source_hash: 'abc', amount: 12345n, period: 2026112013 }

describe('the fields of a reading', () => {
  test('default: their order is that of the specification', () => {
    expect<readonly string[]>(readingOrder).toEqual(namesIn('| member | value |'))
  })

  test('default: JSON and its schema have that order, whatever the order of a reading', () => {
    const { updated_at, ...others } = createReading('A', feed, value)
    expect(Object.keys(readingToJson({ updated_at, ...others }))).toEqual([...readingOrder])
    expect(Object.keys(readingBody.properties)).toEqual([...readingOrder])
  })

  test('behavior: the bytes of a feed have the order of the contract, which the specification has, too', () => {
    expect<readonly string[]>(feedOrder).toEqual(namesIn('| feed | bytes |'))
  })

  test('behavior: a member that is no field is not in the JSON', () => {
    expect(Object.keys(readingToJson(Object.assign({ index: 1 }, createReading('A', feed, value))))).toEqual([
      ...readingOrder,
    ])
  })
})
