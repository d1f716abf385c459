import { expect, test } from 'bun:test'
import { EiaNoRowsError } from '@wattfeed/eia'
import { errorOf } from '@wattfeed/testing/errorOf'
import { shareFetches } from '../../../src/agent/committee/shareFetches.ts'
import { createFakeEia, rowOf } from '../run/fakes.ts'

const series = { route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', facets: {} } as const

test('default: the same request is sent once in 30 s, and other ones at once', async () => {
  let now = 0
  const { eia, asked } = createFakeEia(() => [rowOf()])
  const shared = shareFetches(eia, () => now)
  const stop = new AbortController().signal
  const rows = await Promise.all([
    shared.listNewestRows(series, { length: 2, signal: stop }),
    shared.listNewestRows(series, { length: 2 }),
  ])
  expect(rows[0]).toBe(rows[1])
  now = 29_999
  await shared.listNewestRows(series, { length: 2 })
  expect(asked).toEqual(['newest 2'])
  await shared.listRowsSince(series, { since: 1, most: 5 })
  await shared.listNewestRows(series, { length: 3 })
  now = 30_000
  await shared.listNewestRows(series, { length: 2 })
  expect(asked).toEqual(['newest 2', 'since 1, most 5', 'newest 3', 'newest 2'])
})

test('error: an error is shared, too', async () => {
  const { eia, asked } = createFakeEia(() => [])
  const shared = shareFetches(eia, () => 0)
  for (let times = 0; times < 3; times++)
    expect(await errorOf(shared.listNewestRows(series))).toBeInstanceOf(EiaNoRowsError)
  expect(asked).toHaveLength(1)
})

test('behavior: a request that is not answered is not sent again, however long it takes, and its answer is used', async () => {
  const answer = Promise.withResolvers<void>()
  const { eia, asked } = createFakeEia(() => [rowOf()])
  let now = 0
  const shared = shareFetches(
    {
      ...eia,
      async listNewestRows(...request) {
        const rows = eia.listNewestRows(...request)
        await answer.promise
        return rows
      },
    },
    () => now,
  )
  const first = shared.listNewestRows(series)
  now = 300_000
  const second = shared.listNewestRows(series)
  answer.resolve()
  expect(await second).toEqual(await first)
  now += 29_999
  expect(await shared.listNewestRows(series)).toEqual(await first)
  expect(asked.length).toBe(1)
  now += 1
  await shared.listNewestRows(series)
  expect(asked.length).toBe(2)
})
