import { describe, expect, test } from 'bun:test'
import { LATE, withPatience } from '../../../src/agent/send/patience.ts'
import { createManualWait, turn } from '../run/fakes.ts'

describe('withPatience', () => {
  test('default: the result of the work, and no timer is left', async () => {
    const { wait, waits } = createManualWait()
    let isAborted = false
    const told = (ms: number, signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return wait(ms, signal)
    }
    expect(await withPatience(Promise.resolve(7), { patienceMs: 500, wait: told })).toBe(7)
    expect([waits.map(({ ms }) => ms), isAborted]).toEqual([[500], true])
    expect(withPatience(Promise.reject(new Error('no')), { patienceMs: 500, wait: told })).rejects.toThrow(
      'no',
    )
  })

  test('behavior: late work continues', async () => {
    const { wait, waits } = createManualWait()
    const outcome = withPatience(new Promise(() => {}), { patienceMs: 500, wait })
    waits[0]?.end()
    expect(await outcome).toBe(LATE)
  })

  test('behavior: null waits for as long as it takes', async () => {
    const { wait, waits } = createManualWait()
    const work = Promise.withResolvers<number>()
    const outcome = withPatience(work.promise, { patienceMs: null, wait })
    await turn()
    work.resolve(7)
    expect([await outcome, waits]).toEqual([7, []])
  })
})
