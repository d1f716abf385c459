import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { leaderOf } from '../../../../src/agent/committee/leader.ts'
import { slotOf } from '../../../../src/agent/committee/slot.ts'
import { rowOf } from '../../run/fakes.ts'
import { createCommitteeBench, feeds } from './committeeBench.ts'

const [a] = feeds.map(({ feed_id }) => feed_id)
if (a === undefined) throw new Error('there are feeds')

const rowOfDay = (day: number, value: string) => rowOf({ period: `2026-11-${day}`, value })

describe('a committee on an embedded chain', () => {
  test('default: four of five keys attest a value of each feed in one transaction, once', async () => {
    await using bench = await createCommitteeBench({ threshold: 4 })
    bench.publish(rowOfDay(16, '59.91'))
    bench.find(...feeds.map(({ feed_id }) => feed_id))
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    await bench.pass(300_000)
    for (const { feed_id } of feeds) expect(await bench.historyOf(feed_id)).toEqual(['20261116 5991'])
  }, 60_000)

  test('behavior: it attests a value while the network upgrades, and one after that, each once', async () => {
    await using bench = await createCommitteeBench({ threshold: 4, protocol: '2.0.3' })
    const eraId = bench.devnet.upgrade()
    const isUpgraded = async () => {
      const answer = await bench.devnet.call('chain_get_block', {})
      return (
        Object(memberAt(answer, 'result', 'block_with_signatures', 'block', 'Version2', 'header')).era_id >=
        eraId
      )
    }
    for (const [day, value, amount] of [
      [16, '59.91', '5991'],
      [17, '60.5', '6050'],
    ] as const) {
      bench.publish(rowOfDay(day, value))
      bench.find(...feeds.map(({ feed_id }) => feed_id))
      await bench.until(async () => (await bench.historyOf(a)).includes(`202611${day} ${amount}`))
      await bench.until(isUpgraded)
    }
    await bench.pass(300_000)
    for (const { feed_id } of feeds)
      expect(await bench.historyOf(feed_id)).toEqual(['20261116 5991', '20261117 6050'])
  }, 60_000)

  test('behavior: members that start again complete the transaction that they had approved, once', async () => {
    await using bench = await createCommitteeBench({ threshold: 4 })
    for (const index of [3, 4]) Object.assign(bench.members[index] ?? {}, { isConnected: false })
    bench.publish(rowOfDay(16, '59.91'))
    for (const { member } of bench.members.slice(0, 3)) member.found(a)
    await bench.until(() =>
      bench.members.slice(0, 3).every(({ events }) => events.some((event) => event === 'approved')),
    )
    for (const index of [0, 1, 2]) await bench.restart(index)
    for (const index of [3, 4]) Object.assign(bench.members[index] ?? {}, { isConnected: true })
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    await bench.pass(300_000)
    expect(await bench.historyOf(a)).toEqual(['20261116 5991'])
    for (const { events } of bench.members.slice(0, 3))
      expect(events.filter((event) => event === 'ended')).toHaveLength(1)
  }, 60_000)

  test('behavior: what one member finds, the leader of an earlier slot proposes, because it is announced', async () => {
    await using bench = await createCommitteeBench({ threshold: 4 })
    bench.publish(rowOfDay(16, '59.91'))
    const keys = bench.members.map(({ signer }) => signer.keyHash)
    // Its next slot is the last of the round.
    const last = leaderOf(slotOf(bench.time()) - 1, keys)
    const finder = bench.members.find(({ signer }) => signer.keyHash === last)
    if (finder === undefined) throw new Error('every member takes turns')
    finder.member.found(a)
    await bench.until(async () => (await bench.historyOf(a)).length > 0)
    const proposers = bench.members.filter(({ events }) => events.includes('proposed'))
    expect(proposers).toHaveLength(1)
    expect(proposers).not.toContain(finder)
  })

  test('behavior: announcements cause one request to EIA for a feed in 30 s', async () => {
    await using bench = await createCommitteeBench({ threshold: 4 })
    const [member] = bench.members
    if (member === undefined) throw new Error('there are members')
    bench.publish(rowOfDay(16, '59.91'))
    for (let times = 0; times < 100; times++) await member.member.announced(a)
    expect(member.asked).toHaveLength(1)
  })
})
