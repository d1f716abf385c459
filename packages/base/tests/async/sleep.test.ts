import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { sleep } from '../../src/async/sleep.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

test('default: ends when the time has passed', async () => {
  const sleeping = sleep(1_000, new AbortController().signal)
  jest.advanceTimersByTime(1_000)
  expect(await sleeping).toBeUndefined()
})

test('error: an abort ends it with its reason and leaves no timer', async () => {
  const controller = new AbortController()
  const sleeping = sleep(1_000, controller.signal).catch((reason) => reason)
  controller.abort('enough')
  expect(await sleeping).toBe('enough')
  expect(jest.getTimerCount()).toBe(0)
})

test('error: a signal that is aborted already', async () => {
  expect(await sleep(1_000, AbortSignal.abort('enough')).catch((reason) => reason)).toBe('enough')
})
