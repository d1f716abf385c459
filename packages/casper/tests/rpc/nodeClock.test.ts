import { expect, test } from 'bun:test'
import { createNodeClock } from '../../src/rpc/layers.ts'

const NOW = 1_800_000_000_000

const utc = (epochMs: number): string => new Date(epochMs).toUTCString()

/** The nodes' time a second after some answers with these dates. */
async function timeAfter(...dates: (string | null)[]) {
  let passedMs = 0
  const answers = dates.map((date) => new Response('', date === null ? {} : { headers: { date } }))
  const clock = createNodeClock(
    async () => answers.shift() ?? new Response(),
    () => passedMs,
  )
  for (const _ of dates) await clock.fetch('http://node.test/', {})
  passedMs += 1_000
  return clock.time()
}

test('default: the newest Date, and the time that has passed since', async () => {
  expect(await timeAfter(utc(NOW - 9_000), utc(NOW - 3_000))).toBe(NOW - 2_000)
})

test('behavior: an answer without a Date, or with one that cannot be read, changes nothing', async () => {
  expect(await timeAfter(null)).toBeNull()
  expect(await timeAfter('yesterday')).toBeNull()
  expect(await timeAfter(utc(NOW - 3_000), null)).toBe(NOW - 2_000)
})
