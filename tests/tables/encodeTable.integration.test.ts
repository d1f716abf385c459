import { describe, expect, test } from 'bun:test'
import type { Column } from '../../src/tables/column.ts'
import { encodeTable, encodeTableHere, type Table, TableWorkerError } from '../../src/tables/encodeTable.ts'

const columns: Column<'amount' | 'id'>[] = [
  { name: 'amount', type: 'digits', description: '' },
  { name: 'id', type: 'text', description: '' },
]

const tableOf = (format: Table['format'], count: number) => ({
  format,
  columns,
  rows: Array.from({ length: count }, (_, step) => ({ amount: 2n ** 500n + BigInt(step), id: `=${step}` })),
})

describe.each(['csv', 'parquet'] as const)('encodeTable: %s', (format) => {
  test('default: a small table here, a large one in a worker, with the same bytes', async () => {
    const real = globalThis.Worker
    let started = 0
    globalThis.Worker = class extends real {
      constructor(...options: ConstructorParameters<typeof real>) {
        super(...options)
        started += 1
      }
    }
    try {
      for (const [count, workers] of [
        [500, 0],
        [501, 1],
      ] as const) {
        const table = tableOf(format, count)
        expect(Buffer.compare(await encodeTable(table), await encodeTableHere(table))).toBe(0)
        expect(started).toBe(workers)
      }
    } finally {
      globalThis.Worker = real
    }
  })

  test('error: a table that the worker cannot encode', async () => {
    const broken = { ...tableOf(format, 600), columns: [{ name: 'amount', type: 'digits' }, null] }
    await expect(encodeTable(broken as unknown as Table)).rejects.toThrow(TableWorkerError)
  })

  test.each([
    ['ends without an answer', 'process.exit(3)', 60_000, `the ${format} worker failed: it exited`],
    ['never answers', 'self.onmessage = () => {}', 20, `the ${format} worker failed: no result within 20 ms`],
  ])('error: a worker that %s blocks no request', async (_, program, timeoutMs, message) => {
    const real = globalThis.Worker
    globalThis.Worker = class extends real {
      constructor() {
        super(`data:text/javascript,${program}`)
      }
    }
    try {
      // More than run at once.
      for (let turn = 0; turn < 3; turn++)
        await expect(encodeTable(tableOf(format, 501), timeoutMs)).rejects.toThrow(message)
    } finally {
      globalThis.Worker = real
    }
  })
})
