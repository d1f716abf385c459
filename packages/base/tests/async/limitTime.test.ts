import { describe, expect, jest, spyOn, test } from 'bun:test'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { type LimitedTime, limitTime } from '../../src/async/limitTime.ts'

const late = new Error('late')

const limit = { timeoutMs: 100, error: () => late }

/** Rejects when its signal aborts, with the signal's reason. */
const untilAborted = ({ signal }: LimitedTime): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('limitTime', () => {
  test('default: the result of the work, and no timer is left', async () => {
    using _ = stopClock()
    let given: AbortSignal | undefined
    const result = await limitTime(limit, async ({ signal }) => {
      given = signal
      expect(jest.getTimerCount()).toBe(1)
      return 'done'
    })
    expect([result, jest.getTimerCount()]).toEqual(['done', 0])
    await elapse(200)
    expect(given?.aborted).toBeFalse()
  })

  const broken = new Error('broken')
  const failing: [string, () => Promise<never>][] = [
    ['an error', () => Promise.reject(broken)],
    [
      'a synchronous error',
      () => {
        throw broken
      },
    ],
  ]
  test.each(failing)('error: %s of the work, and no timer is left', async (_, work) => {
    using _clock = stopClock()
    expect(await caught(limitTime(limit, work))).toBe(broken)
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

  test('behavior: a signal that is first read after the timeout is aborted, with the reason', async () => {
    using _ = stopClock()
    let given: LimitedTime | undefined
    const work = limitTime(limit, (time) => {
      given = time
      return new Promise(() => {})
    })
    const outcome = caught(work)
    await elapse(100)
    expect(await outcome).toBe(late)
    expect([given?.signal.aborted, given?.signal.reason]).toEqual([true, late])
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

const never = new Promise<never>(() => {})

const limitWith = (failure = () => '') => ({
  timeoutMs: 100,
  error: () => new Error(failure()),
})

describe('a wait for work that heeds no signal', () => {
  test('error: on a timeout, the error has the state of that moment', async () => {
    using _ = stopClock()
    let failure = 'before'
    let outcome: unknown = 'waits'
    limitTime(
      limitWith(() => failure),
      () => never,
    ).catch((error: unknown) => {
      outcome = error
    })
    await elapse(99)
    expect(outcome).toBe('waits')
    failure = 'node:80: HTTP 500'
    await elapse(1)
    expect(outcome).toEqual(new Error('node:80: HTTP 500'))
  })

  test('behavior: work that fails after all callers have left is not an unhandled rejection', async () => {
    using _ = stopClock()
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const { promise, reject } = Promise.withResolvers<never>()
    const waiting = limitTime(limitWith(), () => promise).catch((error: unknown) => error)
    await elapse(100)
    expect(await waiting).toEqual(new Error(''))
    reject(new Error('later'))
    await settle()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
