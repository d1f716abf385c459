import { describe, expect, jest, spyOn, test } from 'bun:test'
import { limitTime } from '../../src/async/limitTime.ts'
import { elapse, stopClock } from '../casper/clock.ts'

const late = new Error('late')

const limit = { timeoutMs: 100, error: () => late }

/** Ends when its signal does, with the signal's reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('limitTime', () => {
  test('default: the result of the work, and no timer is left', async () => {
    using _ = stopClock()
    let given: AbortSignal | undefined
    const result = await limitTime(limit, async (signal) => {
      given = signal
      expect(jest.getTimerCount()).toBe(1)
      return 'done'
    })
    expect([result, jest.getTimerCount()]).toEqual(['done', 0])
    await elapse(200)
    expect(given?.aborted).toBeFalse()
  })

  test('error: what the work throws, and no timer is left', async () => {
    using _ = stopClock()
    const broken = new Error('broken')
    const work = limitTime(limit, async () => {
      throw broken
    })
    expect(await caught(work)).toBe(broken)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('error: the own error when time is up', async () => {
    using _ = stopClock()
    let outcome: unknown = 'waits'
    caught(limitTime(limit, untilAborted)).then((error) => {
      outcome = error
    })
    await elapse(99)
    expect(outcome).toBe('waits')
    await elapse(1)
    expect(outcome).toBe(late)
  })

  test('error: the reason of the signal from outside', async () => {
    const controller = new AbortController()
    const work = caught(limitTime({ ...limit, signal: controller.signal }, untilAborted))
    const enough = new Error('enough')
    controller.abort(enough)
    expect(await work).toBe(enough)
  })

  test('error: a signal that had aborted before', async () => {
    const enough = new Error('enough')
    const signal = AbortSignal.abort(enough)
    expect(await caught(limitTime({ ...limit, signal }, untilAborted))).toBe(enough)
  })

  test('behavior: nothing listens to the signal from outside when the work is done', async () => {
    const { signal } = new AbortController()
    const added = spyOn(signal, 'addEventListener')
    const removed = spyOn(signal, 'removeEventListener')
    await limitTime({ ...limit, signal }, async () => {})
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed.mock.calls).toEqual([['abort', added.mock.calls[0]?.[1]]] as never)
  })
})
