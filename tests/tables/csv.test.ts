import { describe, expect, test } from 'bun:test'
import { historyColumns } from '../../src/tables/columns.ts'
import { formatCsv } from '../../src/tables/csv.ts'

const item = {
  index: 0,
  period: 20261120,
  period_start: '2026-11-20',
  value: 3.04938,
  amount: 3_049_380n,
  revision: 0,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  attester: 'account-hash-00',
  attested_at: 1_795_168_726_426,
}

const HEADER = 'index,period,period_start,value,amount,revision,source_hash,attester,attested_at\r\n'
const ROW =
  '0,20261120,2026-11-20,3.04938,3049380,0,88450b082ec4df2fdccd3a626c6e489b,account-hash-00,1795168726426\r\n'

describe('formatCsv', () => {
  test('default: a header and a row for each item', () => {
    expect(formatCsv(historyColumns, [item])).toBe(`${HEADER}${ROW}`)
    expect(formatCsv(historyColumns, [])).toBe(HEADER)
  })

  test('behavior: rows that continue a table have no header', () => {
    expect(formatCsv(historyColumns, [item], { header: false })).toBe(ROW)
    expect(formatCsv(historyColumns, [], { header: false })).toBe('')
  })

  test('behavior: numbers stay numbers, negative ones too', () => {
    const row = { ...item, value: -1.5, amount: -1_500_000n }
    expect(formatCsv(historyColumns, [row], { header: false })).toBe(
      ROW.replace('3.04938,3049380', '-1.5,-1500000'),
    )
  })

  test.each([
    [70, '70.0'],
    [-70, '-70.0'],
    [0.000001, '0.000001'],
    [1e21, '1e+21'],
  ])('behavior: a double is written as one, also where it is whole: %p', (value, cell) => {
    expect(formatCsv(historyColumns, [{ ...item, value }], { header: false })).toBe(
      ROW.replace('3.04938', cell),
    )
  })

  test('behavior: what no column may hold is empty', () => {
    const row = { ...item, period: 2 ** 64, period_start: null, source_hash: '=cmd()', attested_at: 2 ** 63 }
    expect(formatCsv(historyColumns, [row], { header: false })).toBe(
      '0,,,3.04938,3049380,0,,account-hash-00,\r\n',
    )
  })

  test.each([
    ['a', 'a'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\ta', "'\ta"],
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
