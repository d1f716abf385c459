import { describe, expect, jest, test } from 'bun:test'
import { limitTime } from '../../src/async/limitTime.ts'
import { DeadlineError } from '../../src/casper/rpc/rpcErrors.ts'
import { elapse, settle, stopClock } from '../casper/clock.ts'

const never = new Promise<never>(() => {})

const limit = (trouble = () => '') => ({
  timeoutMs: 100,
  error: () => new DeadlineError(100, trouble()),
})

describe('a wait for work that heeds no signal', () => {
  test('default: what the work gives, and no timer is left', async () => {
    using _ = stopClock()
    expect(await limitTime(limit(), () => Promise.resolve(7))).toBe(7)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('error: what the work throws, and no timer is left', async () => {
    using _ = stopClock()
    const broken = new Error('broken')
    expect(await limitTime(limit(), () => Promise.reject(broken)).catch((error) => error)).toBe(broken)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('error: time is up, and the error tells what is wrong by then', async () => {
    using _ = stopClock()
    let trouble = 'before'
    let outcome: unknown = 'waits'
    limitTime(
      limit(() => trouble),
      () => never,
    ).catch((error: unknown) => {
      outcome = error
    })
    await elapse(99)
    expect(outcome).toBe('waits')
    trouble = 'node:80: HTTP 500'
    await elapse(1)
    expect(outcome).toEqual(new DeadlineError(100, 'node:80: HTTP 500'))
  })

  test('behavior: work that fails when nobody waits any more is no unhandled rejection', async () => {
    using _ = stopClock()
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const { promise, reject } = Promise.withResolvers<never>()
    const waiting = limitTime(limit(), () => promise).catch((error: unknown) => error)
    await elapse(100)
    expect(await waiting).toBeInstanceOf(DeadlineError)
    reject(new Error('later'))
    await settle()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
