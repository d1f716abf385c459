import { expect, test } from 'bun:test'
import { createClocks, isClockOff } from '../../src/runtime/clocks.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const utc = (epochMs: number): string => new Date(epochMs).toUTCString()

/** Clocks of a machine whose own clock can be set; an answer takes some time. */
function createBench() {
  let wall = NOW
  let steady = 5_000
  let answer: { headers: Record<string, string>; takesMs: number } = { headers: {}, takesMs: 0 }
  const pass = (ms: number): void => {
    wall += ms
    steady += ms
  }
  const clocks = createClocks({
    async fetch() {
      pass(answer.takesMs)
      return new Response('', { headers: answer.headers })
    },
    now: () => wall,
    steadyNow: () => steady,
  })
  return {
    clocks,
    pass,
    set(ms: number): void {
      wall += ms
    },
    async ask(headers: Record<string, string>, { url = 'http://node.test/rpc', takesMs = 0 } = {}) {
      answer = { headers, takesMs }
      await clocks.fetch(url, {})
    },
  }
}

test('default: both times of each server, as of now', async () => {
  const { clocks, ask, pass } = createBench()
  expect(clocks.list()).toEqual([])
  await ask({ date: utc(NOW - 3 * 3_600_000) })
  await ask({ date: utc(NOW) }, { url: 'https://api.eia.gov/v2/?api_key=s3cret' })
  pass(60_000)
  const localMs = NOW + 60_000
  expect(clocks.list()).toEqual([
    { host: 'node.test', localMs, serverMs: localMs - 3 * 3_600_000 },
    { host: 'api.eia.gov', localMs, serverMs: localMs },
  ])
  expect(clocks.list().map(isClockOff)).toEqual([true, false])
})

test('behavior: a changed clock is detected at once, without another answer', async () => {
  const { clocks, ask, set } = createBench()
  await ask({ date: utc(NOW) })
  set(30_000)
  expect(clocks.list().map(isClockOff)).toEqual([false])
  set(1)
  expect(clocks.list().map(isClockOff)).toEqual([true])
  set(-30_001)
  expect(clocks.list()).toEqual([{ host: 'node.test', localMs: NOW, serverMs: NOW }])
})

test('behavior: a slow answer does not look like a wrong clock, whenever the Date was created', async () => {
  for (const date of [NOW, NOW + 20_000, NOW + 40_000]) {
    const { clocks, ask } = createBench()
    await ask({ date: utc(date) }, { takesMs: 40_000 })
    expect(clocks.list()).toEqual([{ host: 'node.test', localMs: NOW + 40_000, serverMs: NOW + 40_000 }])
  }
})

test('behavior: an answer without a Date, or from a cache, is ignored', async () => {
  const { clocks, ask } = createBench()
  await ask({})
  await ask({ date: 'yesterday' })
  await ask({ date: utc(NOW - 600_000), age: '600' })
  expect(clocks.list()).toEqual([])
})
