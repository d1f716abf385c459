import { describe, expect, test } from 'bun:test'
import { type RetryOptions, retry } from '../../src/async/retry.ts'

const never = new AbortController().signal

const options: RetryOptions = {
  attempts: 4,
  minPauseMs: 0,
  maxPauseMs: 0,
  signal: never,
  shouldRetry: () => true,
}

/** Fails this number of times, then returns the number of the try. */
function failing(times: number): { work: () => Promise<number>; tries: () => number } {
  let tries = 0
  return {
    tries: () => tries,
    work: async () => {
      tries += 1
      if (tries <= times) throw new Error(`try ${tries}`)
      return tries
    },
  }
}

/** The pauses, as requested from timers. */
async function pausesOf(changes: Partial<RetryOptions>): Promise<number[]> {
  const pauses: number[] = []
  const { setTimeout: realTimeout } = globalThis
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    pauses.push(ms)
    return realTimeout(work, 0)
  }) as typeof setTimeout
  try {
    await retry(failing(9).work, { ...options, ...changes }).catch(() => {})
  } finally {
    globalThis.setTimeout = realTimeout
  }
  return pauses
}

describe('retry', () => {
  test('default: work that succeeds is done once', async () => {
    const { work, tries } = failing(0)
    expect([await retry(work, options), tries()]).toEqual([1, 1])
  })

  test('behavior: work is done again until it succeeds', async () => {
    expect(await retry(failing(3).work, options)).toBe(4)
  })

  test('error: the last one, after as many tries as are allowed', async () => {
    const { work, tries } = failing(9)
    await expect(retry(work, options)).rejects.toThrow('try 4')
    expect(tries()).toBe(4)
  })

  test('error: one that no retry can mend ends the tries', async () => {
    const { work, tries } = failing(9)
    const seen: unknown[] = []
    const shouldRetry = (error: unknown) => seen.push(error) < 2
    await expect(retry(work, { ...options, shouldRetry })).rejects.toThrow('try 2')
    expect([tries(), seen.map(String)]).toEqual([2, ['Error: try 1', 'Error: try 2']])
  })

  test('behavior: pauses double, are longer at random, and never longer than the longest', async () => {
    const pauses = { attempts: 5, minPauseMs: 20, maxPauseMs: 100 }
    expect(await pausesOf({ ...pauses, random: () => 0 })).toEqual([20, 40, 80, 100])
    expect(await pausesOf({ ...pauses, random: () => 0.5 })).toEqual([30, 60, 100, 100])
  })

  test('behavior: the wait that an error requests is added to the pause', async () => {
    const waitMs = (error: unknown) => (String(error).endsWith('1') ? 500 : 0)
    const pauses = { attempts: 3, minPauseMs: 20, maxPauseMs: 100, random: () => 0 }
    expect(await pausesOf({ ...pauses, waitMs })).toEqual([520, 40])
  })

  test('behavior: there is no pause after the last try', async () => {
    expect(await pausesOf({ attempts: 1, minPauseMs: 20, maxPauseMs: 100 })).toEqual([])
  })

  test('error: an abort ends a pause with its reason', async () => {
    const controller = new AbortController()
    const { work, tries } = failing(9)
    const pauses = { minPauseMs: 2 ** 30, maxPauseMs: 2 ** 30, signal: controller.signal }
    const retrying = retry(work, { ...options, ...pauses })
    setImmediate(() => controller.abort(new Error('enough')))
    await expect(retrying).rejects.toThrow('enough')
    expect(tries()).toBe(1)
  })

  test('error: nothing is tried once it is aborted', async () => {
    const { work, tries } = failing(0)
    await expect(retry(work, { ...options, signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow(
      'over',
    )
    expect(tries()).toBe(0)
  })
})
