import { describe, expect, test } from 'bun:test'
import { createRateLimit } from '../src/rateLimit.ts'

/** A clock that only waits advance. */
function createClock() {
  const clock = {
    now: 1_000_000,
    waits: [] as number[],
    wait: async (ms: number) => {
      clock.waits.push(ms)
    },
  }
  return clock
}

describe('createRateLimit', () => {
  test('default: requests that come at once go one after another', async () => {
    const clock = createClock()
    const waitForTurn = createRateLimit({ requestsPerSecond: 4, now: () => clock.now, wait: clock.wait })
    await Promise.all([waitForTurn(), waitForTurn(), waitForTurn(), waitForTurn()])
    expect(clock.waits).toEqual([250, 500, 750])
  })

  test('behavior: time that has passed anyway is not waited for again, nor saved up', async () => {
    const clock = createClock()
    const waitForTurn = createRateLimit({ requestsPerSecond: 4, now: () => clock.now, wait: clock.wait })
    await waitForTurn()
    clock.now += 100
    await waitForTurn()
    clock.now += 60_000
    await waitForTurn()
    await waitForTurn()
    expect(clock.waits).toEqual([150, 250])
  })

  test('error: an abort ends the waiting', async () => {
    const wait = async (_: number, signal?: AbortSignal) => signal?.throwIfAborted()
    const waitForTurn = createRateLimit({ requestsPerSecond: 1, now: () => 0, wait })
    await waitForTurn()
    const reason = new Error('stop')
    expect(waitForTurn(AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})
