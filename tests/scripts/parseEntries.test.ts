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

  const [list, once] = ['write ids with one comma between them and nothing else', 'name each id once']
  const eia = "EIA's are hourly, local-hourly, daily, weekly, four-week-average, monthly, quarterly, annual"
  const oneOf = 'name one of frequencies'
  const periodOf = (frequency: string) => `write a period of ${frequency} data, or leave it empty`

  test.each<[Parameters<typeof faultsWith>[0], string]>([
    [{ name: '' }, '[name] name is empty; give the title that EIA shows'],
    [{ columns: '' }, '[columns] columns is empty; list those that EIA offers'],
    [{ frequencies: 'annual,quarterly,monthly,yearly' }, `[frequencies] frequencies names "yearly"; ${eia}`],
    [
      { frequencies: 'annual,quarterly,monthly,annual' },
      `[frequencies] frequencies is "annual,quarterly,monthly,annual"; ${once}`,
    ],
    [{ columns: 'value,value' }, `[columns] columns is "value,value"; ${once}`],
    [{ facets: 'seriesId,seriesId' }, `[facets] facets is "seriesId,seriesId"; ${once}`],
    [{ byDefault: 'weekly', start: '' }, `[default_frequency] default_frequency is "weekly"; ${oneOf}`],
    [{ byDefault: '', start: '' }, `[default_frequency] default_frequency is ""; ${oneOf}`],
    [{ start: '1974' }, `[start] start is "1974"; ${periodOf('monthly')}`],
    [{ start: '1974-01-01' }, `[start] start is "1974-01-01"; ${periodOf('monthly')}`],
    [{ byDefault: 'annual', start: '1974-01' }, `[start] start is "1974-01"; ${periodOf('annual')}`],
    [{ byDefault: 'quarterly', start: '1974-Q5' }, `[start] start is "1974-Q5"; ${periodOf('quarterly')}`],
  ])('error: %p', (fields, fault) => {
    expect(faultsWith(fields)).toEqual([`catalog.tsv:${LINE} ${fault}`])
  })

  test.each<[Parameters<typeof faultsWith>[0], string]>([
    [{ frequencies: '' }, '[frequencies] frequencies is empty; list those that EIA offers'],
    [{ columns: 'value,' }, `[columns] columns is "value,"; ${list}`],
    [{ columns: 'value, price' }, `[columns] columns is "value, price"; ${list}`],
    [{ facets: ',' }, `[facets] facets is ","; ${list}`],
    [{ facets: 'series.id' }, `[facets] facets is "series.id"; ${list}`],
  ])('error: %p, beside what follows from it', (fields, fault) => {
    expect(faultsWith(fields)).toContain(`catalog.tsv:${LINE} ${fault}`)
  })
})
