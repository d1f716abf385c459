import { describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { formatPart, readPrints } from '../../../src/operator/export/parts.ts'

const item = (period: number, source_hash = '=cmd') => ({
  index: 0,
  period,
  period_start: null,
  period_end: null,
  value: 1.5,
  amount: 15n * 10n ** 60n,
  revision: 0,
  source_hash,
  attester: 'account-hash-00',
  attested_at: 1_795_168_726_426,
})

describe.each(['parquet', 'csv'] as const)('readPrints of %s', (format) => {
  const write = async (path: string, periods: readonly number[], source_hash?: string) => {
    const rows = periods.map((period) => item(period, source_hash))
    const content = await formatPart(format, rows)
    const location = join(path, 'part')
    writeFileSync(location, content)
    const last = { feed_id: 'A', index: 0, attested_at: 0, sha256: '' }
    const file = { path: `feed_id=A/part-0.${format}`, from: 0, to: 1, rows: 1, last }
    return { location, file: { ...file, bytes: content.length, sha256: hash('sha256', content) } }
  }

  test('default: period, amount and hash of each row', async () => {
    using folder = createFolder()
    const { amount } = item(0)
    expect(await readPrints(await write(folder.path, [7, 2 ** 53]))).toEqual([
      { period: 7, amount, source_hash: '' },
      { period: 2 ** 53, amount, source_hash: '' },
    ])
    const root = 'ab'.repeat(32)
    expect(await readPrints(await write(folder.path, [7], root))).toEqual([
      { period: 7, amount, source_hash: root },
    ])
  })

  test('behavior: null if a period exceeds the range of tables, or the file is missing', async () => {
    using folder = createFolder()
    const file = await write(folder.path, [7, 2 ** 63])
    expect(await readPrints(file)).toBeNull()
    expect(await readPrints({ ...file, location: join(folder.path, 'nothing') })).toBeNull()
  })

  test('error: another file of the same size', async () => {
    using folder = createFolder()
    const file = await write(folder.path, [7])
    writeFileSync(file.location, 'x'.repeat(file.file.bytes))
    expect(await errorOf(readPrints(file))).toMatchObject({ code: 'data_set', path: file.location })
  })
})
