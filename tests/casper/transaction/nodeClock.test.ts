import { expect, test } from 'bun:test'
import { clockWords, createNodeClock, isFarOff, stampOf } from '../../../src/casper/transaction/nodeClock.ts'

const NOW = 1_800_000_000_000
const TTL_MS = 300_000

const answerAt = (date: string | null) => async () =>
  new Response('', date === null ? {} : { headers: { date } })

async function clockAfter(...dates: (string | null)[]) {
  let answer = answerAt(null)
  const clock = createNodeClock(
    () => answer(),
    () => NOW,
  )
  for (const date of dates) {
    answer = answerAt(date)
    await clock.fetch('http://node.test/', {})
  }
  return clock.aheadMs()
}

const utc = (epochMs: number): string => new Date(epochMs).toUTCString()

test('default: how far this clock is ahead of the newest Date', async () => {
  expect(await clockAfter(utc(NOW - 9_000), utc(NOW - 3_000))).toBe(3_000)
  expect(await clockAfter(utc(NOW + 3_000))).toBe(-3_000)
})

test('behavior: an answer without a Date, or with none that can be read, changes nothing', async () => {
  expect(await clockAfter(null)).toBeNull()
  expect(await clockAfter('yesterday')).toBeNull()
  expect(await clockAfter(utc(NOW - 3_000), null)).toBe(3_000)
})

test('default: a transaction is stamped with the earlier clock', () => {
  expect(stampOf(NOW, 3_000, TTL_MS)).toBe(NOW - 3_000)
  expect(stampOf(NOW, -3_000, TTL_MS)).toBe(NOW)
})

test('behavior: without a Date, or with one that is half its life off, 2 s before this clock', () => {
  expect(stampOf(NOW, null, TTL_MS)).toBe(NOW - 2_000)
  for (const aheadMs of [150_001, -150_001]) expect(stampOf(NOW, aheadMs, TTL_MS)).toBe(NOW - 2_000)
  expect(stampOf(NOW, 150_000, TTL_MS)).toBe(NOW - 150_000)
})

test('behavior: a clock that is far off is named with its side', () => {
  expect([9_999, 10_000, -10_000].map(isFarOff)).toEqual([false, true, true])
  expect([clockWords(12_400), clockWords(-90_000)]).toEqual([
    "this machine's clock is 12 s ahead of the chain's",
    "this machine's clock is 90 s behind the chain's",
  ])
})
