import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { feedsColumns, historiesColumns, historyColumns, partColumns } from '../../src/tables/columns.ts'
import { formatCsv } from '../../src/tables/csv.ts'
import { isFormula, parseRows, spreadsheetCells } from './spreadsheet.ts'

const columns = historyColumns('daily')

const item = {
  feed_id: 'A',
  unit: '$/bbl',
  index: 0,
  period: 20261120,
  period_start: '2026-11-20',
  period_end: '2026-11-20',
  value: 3.04938,
  amount: 3_049_380n,
  revision: 0,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  attester: 'account-hash-00',
  attested_at: 1_795_168_726_426,
}

const HEADER =
  'feed_id,unit,index,period,period_start,period_end,value,amount,revision,source_hash,attester,attested_at\r\n'
const ROW =
  'A,$/bbl,0,20261120,2026-11-20,2026-11-20,3.04938,3049380,0,88450b082ec4df2fdccd3a626c6e489b,account-hash-00,2026-11-20T09:58:46.426Z\r\n'

describe('formatCsv', () => {
  test('default: a header and a row for each item', () => {
    expect(formatCsv(columns, [item])).toBe(`${HEADER}${ROW}`)
    expect(formatCsv(columns, [])).toBe(HEADER)
  })

  test('behavior: rows that continue a table have no header', () => {
    expect(formatCsv(columns, [item], { header: false })).toBe(ROW)
    expect(formatCsv(columns, [], { header: false })).toBe('')
  })

  test('behavior: numbers stay numbers, negative ones too', () => {
    const row = { ...item, value: -1.5, amount: -1_500_000n }
    expect(formatCsv(columns, [row], { header: false })).toBe(ROW.replace('3.04938,3049380', '-1.5,-1500000'))
  })

  test.each([
    [70, '70.0'],
    [-70, '-70.0'],
    [0.000001, '0.000001'],
    [1e21, '1e+21'],
  ])('behavior: an integral double has a decimal point: %p', (value, cell) => {
    expect(formatCsv(columns, [{ ...item, value }], { header: false })).toBe(ROW.replace('3.04938', cell))
  })

  test('behavior: a value outside of its column type is empty', () => {
    const row = {
      ...item,
      period: 2 ** 64,
      period_start: null,
      period_end: null,
      source_hash: '=cmd()',
      attested_at: 2 ** 63,
    }
    expect(formatCsv(columns, [row], { header: false })).toBe(
      'A,$/bbl,0,,,,3.04938,3049380,0,,account-hash-00,\r\n',
    )
  })

  test.each([
    ['a', 'a'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\ta', `"'\ta"`],
    ['a;=1+1;', `"a;'=1+1;"`],
    ['a; "=1+1"', `"a;' ""=1+1"""`],
    ['a\t\t-1', `"a\t'\t'-1"`],
    ['a\n＝1', `"a\n'＝1"`],
    ['a;b', '"a;b"'],
    ['a,-b', '"a,-b"'],
    ['\ra', '"\'\ra"'],
    ['a=1', 'a=1'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['=a"b', '"\'=a""b"'],
    ['a\nb', '"a\nb"'],
    ['a\r\nb', '"a\r\nb"'],
    ['é 😀', 'é 😀'],
  ])('default: the cell %p is %p', (id, cell) => {
    expect(formatCsv([{ name: 'id', type: 'text', description: '' }], [{ id }])).toBe(`id\r\n${cell}\r\n`)
  })
})

test('behavior: a value of a dataset that is a negative number stays one, and other texts are as elsewhere', () => {
  const cells = ['-1', '-1.50', '-1+1', '=1', 'w', null].map((id) => ({ id }))
  const csv = formatCsv([{ name: 'id', type: 'figure', description: '' }], cells)
  expect(csv.split('\r\n')).toEqual(['id', '-1', '-1.50', "'-1+1", "'=1", 'w', '', ''])
})

describe('text from any attester', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(...'=+-@＝;,\t\r\n"\' 1a'),
    minLength: 1,
    maxLength: 12,
  })
  const rows = fc.array(
    fc.record({
      feed_id: hostile,
      unit: hostile,
      attester: hostile,
      source_hash: hostile,
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    { maxLength: 3 },
  )

  test.each([
    ['the newest values', feedsColumns],
    ['a history', columns],
    ['several histories', historiesColumns],
    ['a part of an export', partColumns],
  ])('behavior: in %s, no spreadsheet runs it, with any separator', (_, columns) => {
    fc.assert(
      fc.property(rows, (rows) => {
        const csv = formatCsv<string>(
          columns,
          rows.map((row) => ({ ...item, decimals: 6, updated_at: 0, ...row })),
        )
        for (const separator of [',', ';', '\t'] as const)
          expect(spreadsheetCells(csv, separator).filter(isFormula)).toEqual([])
        const widths = parseRows(csv, ',').map((cells) => cells.length)
        expect(new Set(widths)).toEqual(new Set([columns.length]))
      }),
      { numRuns: 2_000 },
    )
  })
})
