import { describe, expect, test } from 'bun:test'
import { rowOf } from '../../run/fakes.ts'
import { createCommitteeBench, feeds } from './committeeBench.ts'

const [a] = feeds.map(({ feed_id }) => feed_id)
if (a === undefined) throw new Error('there are feeds')

const rowOfDay = (day: number, value: string) => rowOf({ period: `2026-11-${day}`, value })

describe('a committee on an embedded chain', () => {
  test('default: four of five keys attest a value of each feed in one transaction, once', async () => {
    using bench = await createCommitteeBench({ threshold: 4 })
    bench.publish(rowOfDay(16, '59.91'))
    bench.find(...feeds.map(({ feed_id }) => feed_id))
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    await bench.pass(300_000)
    for (const { feed_id } of feeds) expect(await bench.historyOf(feed_id)).toEqual(['20261116 5991'])
  }, 60_000)
})
