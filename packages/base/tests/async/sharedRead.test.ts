import { describe, expect, jest, test } from 'bun:test'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import fc from 'fast-check'
import { createSharedRead } from '../../src/async/sharedRead.ts'

// Without time passing, a test sees no overlap.
const alone = { overlapMs: 60_000, concurrency: 16 }

/** A read that the test starts and ends; it never overlaps unless the test lets time pass. */
function controlledRead(overlapMs = 60_000, concurrency = 16) {
  const reads: PromiseWithResolvers<string>[] = []
  const refresh = createSharedRead(
    () => {
      const read = Promise.withResolvers<string>()
      reads.push(read)
      return read.promise
    },
    { overlapMs, concurrency },
  )
  return { refresh, reads }
}

describe('createSharedRead', () => {
  test('default: all calls before the start of a read share it', async () => {
    const { refresh, reads } = controlledRead()
    const callers = Array.from({ length: 1_000 }, () => refresh())
    await settle()
    expect(reads).toHaveLength(1)
    reads[0]?.resolve('first')
    expect(new Set(await Promise.all(callers))).toEqual(new Set(['first']))
  })

  test('behavior: a call during a read waits for the next one', async () => {
    const { refresh, reads } = controlledRead()
    const early = refresh()
    await settle()
    const late = [refresh(), refresh(), refresh()]
    await settle()
    expect(reads).toHaveLength(1)
    reads[0]?.resolve('first')
    await settle()
    expect(reads).toHaveLength(2)
    reads[1]?.resolve('second')
    expect(await Promise.all([early, ...late])).toEqual(['first', 'second', 'second', 'second'])
  })

  test('behavior: a call after a read starts a new one', async () => {
    const { refresh, reads } = controlledRead()
    const early = refresh()
    await settle()
    reads[0]?.resolve('first')
    await early
    const late = refresh()
    await settle()
    reads[1]?.resolve('second')
    expect([await early, await late]).toEqual(['first', 'second'])
  })

  test('behavior: callers of the same turn share a read, even right after another one', async () => {
    const { refresh, reads } = controlledRead()
    const early = refresh()
    await settle()
    const late = refresh()
    reads[0]?.resolve('first')
    await early
    const latest = refresh()
    await settle()
    expect(reads).toHaveLength(2)
    reads[1]?.resolve('second')
    expect(await Promise.all([late, latest])).toEqual(['second', 'second'])
  })

  test('behavior: a call in the turn after a read shares the next with the waiting calls', async () => {
    const { refresh, reads } = controlledRead()
    const early = refresh()
    await settle()
    const late = refresh()
    reads[0]?.resolve('first')
    for (let microtask = 0; microtask < 50; microtask++) await early
    await new Promise((resolve) => setImmediate(resolve))
    expect(reads).toHaveLength(1)
    const latest = refresh()
    await settle()
    expect(reads).toHaveLength(2)
    reads[1]?.resolve('second')
    expect(await Promise.all([late, latest])).toEqual(['second', 'second'])
  })

  test('behavior: callers of one turn of the event loop share a read, however late in it they call', async () => {
    const { refresh, reads } = controlledRead()
    const callers = [refresh()]
    for (let microtask = 0; microtask < 50; microtask++) {
      await null
      callers.push(refresh())
    }
    await settle()
    reads[0]?.resolve('first')
    expect(new Set(await Promise.all(callers))).toEqual(new Set(['first']))
    expect(reads).toHaveLength(1)
  })

  test('behavior: the next read does not wait for one that takes long', async () => {
    using _ = stopClock()
    const { refresh, reads } = controlledRead(10)
    const early = refresh()
    await settle()
    const late = [refresh(), refresh()]
    await elapse(9)
    expect(reads).toHaveLength(1)
    await elapse(1)
    expect(reads).toHaveLength(2)
    const latest = refresh()
    reads[1]?.resolve('second')
    expect(await Promise.all(late)).toEqual(['second', 'second'])
    await settle()
    expect(reads).toHaveLength(3)
    reads[2]?.resolve('third')
    reads[0]?.resolve('first')
    expect(await Promise.all([early, latest])).toEqual(['first', 'third'])
  })

  test('behavior: no timer is left when all reads have ended', async () => {
    using _ = stopClock()
    const { refresh, reads } = controlledRead(10)
    const early = refresh()
    await settle()
    const late = refresh()
    reads[0]?.resolve('first')
    await early
    await settle()
    reads[1]?.reject(new Error('broken'))
    await late.catch(() => {})
    await settle()
    expect(jest.getTimerCount()).toBe(0)
  })

  test('error: a failed read fails all calls that share it, but not the next ones', async () => {
    const { refresh, reads } = controlledRead()
    const early = [refresh(), refresh()].map((call) => call.catch((error: unknown) => error))
    await settle()
    const late = refresh()
    const broken = new Error('broken')
    reads[0]?.reject(broken)
    await settle()
    reads[1]?.resolve('second')
    expect([...(await Promise.all(early)), await late]).toEqual([broken, broken, 'second'])
  })

  test('error: a read that throws at once is like one that fails', async () => {
    let times = 0
    const refresh = createSharedRead<string>(() => {
      if (times++ === 0) throw new Error('broken')
      return Promise.resolve('second')
    }, alone)
    expect(await refresh().catch((error: Error) => error.message)).toBe('broken')
    expect(await refresh()).toBe('second')
  })

  test('behavior: without setImmediate, as in a browser, it works as well', async () => {
    const original = globalThis.setImmediate
    Reflect.deleteProperty(globalThis, 'setImmediate')
    try {
      let reads = 0
      const refresh = createSharedRead(async () => ++reads, alone)
      expect(await Promise.all([refresh(), refresh()])).toEqual([1, 1])
      expect(await refresh()).toBe(2)
    } finally {
      globalThis.setImmediate = original
    }
  })

  test('behavior: in any order of calls and answers, no call gets a read that started before it', async () => {
    const steps = fc.array(fc.constantFrom('call', 'settle', 'answer'), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        let time = 0
        let underWay = 0
        const open: (() => void)[] = []
        const refresh = createSharedRead(async () => {
          const began = ++time
          expect(++underWay).toBe(1)
          await new Promise<void>((resolve) => open.push(resolve))
          underWay--
          return began
        }, alone)
        const calls: Promise<void>[] = []
        for (const step of sequence) {
          if (step === 'settle') await settle()
          if (step === 'answer') open.shift()?.()
          if (step !== 'call') continue
          const called = ++time
          calls.push(refresh().then((began) => expect(began).toBeGreaterThan(called)))
        }
        for (let turn = 0; turn < 3; turn++) {
          await settle()
          open.shift()?.()
        }
        await Promise.all(calls)
      }),
      { numRuns: 50 },
    )
  })
})
