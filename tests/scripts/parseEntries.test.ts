import { describe, expect, test } from 'bun:test'
import { edit, faultsOf, lineOf, sources } from './sources.ts'

const ENTRY = 'steo\tShort Term Energy Outlook\tannual,quarterly,monthly\tmonthly\tvalue\tseriesId\t1974-01\n'
const LINE = lineOf(sources.catalog, 'steo')

/** Faults of the catalog whose entry `steo` has other fields. */
function faultsWith(
  fields: Partial<Record<'name' | 'frequencies' | 'byDefault' | 'columns' | 'facets' | 'start', string>>,
) {
  const {
    name = 'Short Term Energy Outlook',
    frequencies = 'annual,quarterly,monthly',
    byDefault = 'monthly',
    columns = 'value',
    facets = 'seriesId',
    start = '1974-01',
  } = fields
  const entry = `${['steo', name, frequencies, byDefault, columns, facets, start].join('\t')}\n`
  return faultsOf({ catalog: edit(sources.catalog, ENTRY, entry) })
}

describe('parseEntries', () => {
  test('default', () => {
    expect(faultsWith({})).toEqual([])
  })

  test('behavior: facets and the first period may be empty', () => {
    expect(faultsWith({ facets: '', start: '' })).toEqual([])
  })

  test('error: a name that is empty', () => {
    expect(faultsWith({ name: '' })).toEqual([
      `catalog.tsv:${LINE} [name] name is empty; give the title that EIA shows`,
    ])
  })

  test.each(['/steo', 'steo/', 'st eo', 'st//eo', ''])('error: %j is no route', (route) => {
    const catalog = edit(sources.catalog, '\nsteo\t', `\n${route}\t`)
    const descriptions = edit(sources.descriptions, '\nsteo\t', `\n${route}\t`)
    expect(faultsOf({ catalog, descriptions })).toEqual([
      `catalog.tsv:${LINE} [route] route is ${JSON.stringify(route)}; write the path below /v2/, no slash at its ends`,
    ])
  })

  test('error: a route twice', () => {
    const catalog = edit(sources.catalog, '\ntotal-energy\t', '\nseds\t')
    const descriptions = sources.descriptions.replace(/^total-energy\t.*\n/m, '')
    expect(faultsOf({ catalog, descriptions })).toEqual([
      `catalog.tsv:${lineOf(sources.catalog, 'total-energy')} [unique] repeats the route of line ${lineOf(sources.catalog, 'seds')}; remove one of the two lines`,
    ])
  })

  test.each([
    [231, (text: string) => edit(text, ENTRY, '')],
    [233, (text: string) => text + ENTRY.replace('steo', 'steo2')],
  ])('error: %i datasets', (count, change) => {
    expect(faultsOf({ catalog: change(sources.catalog) })).toContain(
      `catalog.tsv:${count + 1} [count] is the last of ${count} datasets, not 232; mend the lines, or DATASET_COUNT where EIA has really changed its datasets`,
    )
  })

  test('error: no columns', () => {
    expect(faultsWith({ columns: '' })).toEqual([
      `catalog.tsv:${LINE} [columns] columns is empty; list those that EIA offers`,
    ])
  })

  test('error: no frequencies', () => {
    expect(faultsWith({ frequencies: '' })).toContain(
      `catalog.tsv:${LINE} [frequencies] frequencies is empty; list those that EIA offers`,
    )
  })

  test('error: an unknown frequency', () => {
    expect(faultsWith({ frequencies: 'annual,quarterly,monthly,yearly' })).toEqual([
      `catalog.tsv:${LINE} [frequencies] frequencies names "yearly"; EIA's are hourly, local-hourly, daily, weekly, four-week-average, monthly, quarterly, annual`,
    ])
  })

  test.each([
    ['columns', 'value,'],
    ['columns', 'value, price'],
    ['facets', ','],
    ['facets', 'series.id'],
  ] as const)('error: %s that are %j', (rule, list) => {
    expect(faultsWith({ [rule]: list })).toContain(
      `catalog.tsv:${LINE} [${rule}] ${rule} is ${JSON.stringify(list)}; write ids with one comma between them and nothing else`,
    )
  })

  test.each([
    ['frequencies', 'annual,quarterly,monthly,annual'],
    ['columns', 'value,value'],
    ['facets', 'seriesId,seriesId'],
  ] as const)('error: %s that repeat an id', (rule, list) => {
    expect(faultsWith({ [rule]: list })).toEqual([
      `catalog.tsv:${LINE} [${rule}] ${rule} is ${JSON.stringify(list)}; name each id once`,
    ])
  })

  test.each(['weekly', ''])('error: default frequency %j', (byDefault) => {
    expect(faultsWith({ byDefault, start: '' })).toEqual([
      `catalog.tsv:${LINE} [default_frequency] default_frequency is "${byDefault}"; name one of frequencies`,
    ])
  })

  test.each([
    ['monthly', '1974'],
    ['monthly', '1974-01-01'],
    ['annual', '1974-01'],
    ['quarterly', '1974-Q5'],
  ])('error: %s data from %s on', (byDefault, start) => {
    expect(faultsWith({ byDefault, start })).toEqual([
      `catalog.tsv:${LINE} [start] start is "${start}"; write a period of ${byDefault} data, or leave it empty`,
    ])
  })
})
