import { describe, expect, test } from 'bun:test'
import { parseExactJson } from '../src/parseExactJson.ts'
import { type EiaRow, parsePage, rowsOfSeries } from '../src/series.ts'

/** The rows of an answer with these rows, read in column `price`. */
function rowsOf(rows: string): EiaRow[] {
  const series = { route: 'coal', frequency: 'annual', column: 'price', facets: {} }
  const body = parseExactJson(`{"response":{"data":[${rows}]}}`, (text) => text)
  return rowsOfSeries(parsePage(body, series, 200), series)
}

const units: [string, string, string | null, string | null][] = [
  ['units', '"units":"$/BBL"', '$/BBL', '$/BBL'],
  ['the column’s units', '"price-units":"cents"', 'cents', 'cents'],
  ['units before the column’s', '"price-units":"cents","units":"$/BBL"', '$/BBL', '$/BBL'],
  ['units before unit', '"unit":"TBPD","units":"$/BBL"', '$/BBL', '$/BBL'],
  ['a unit that is stated, but not hashed', '"unit":"TBPD"', null, 'TBPD'],
  ['the units of another column', '"sales-units":"tons"', null, null],
  ['an empty text, or what is none', '"units":"","price-units":null,"unit":{}', null, null],
]

describe('rowsOfSeries', () => {
  test.each(units)('default: %s', (_, members, unit, statedUnit) => {
    expect(rowsOf(`{"period":"2025","price":"1",${members}}`)).toEqual([
      { period: '2025', value: '1', unit, statedUnit },
    ])
  })

  test('behavior: values and periods as sent, texts or numbers', () => {
    const rows = ['".306"', '"w"', '"NA"', '"--"', '""', 'null', '1.50', '1e400', '-0']
    expect(
      rowsOf(rows.map((value, index) => `{"period":${2025 - index},"price":${value}}`).join(',')),
    ).toEqual(
      ['.306', 'w', 'NA', '--', '', null, '1.50', '1e400', '-0'].map((value, index) => ({
        period: String(2025 - index),
        value,
        unit: null,
        statedUnit: null,
      })),
    )
  })
})
