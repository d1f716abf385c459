import { describe, expect, test } from 'bun:test'
import { createCallFaults, NodeFaultError } from './callFaults.ts'

/** A node whose answer is the number of the call. */
function createSpoiled() {
  const calls: string[] = []
  const waits: { durationMs: number; end: () => void }[] = []
  const faulty = createCallFaults(
    (method) => ({ result: calls.push(method) }),
    (durationMs) => new Promise((end) => waits.push({ durationMs, end })),
  )
  return { ...faulty, calls, waits }
}

const attempt = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    return error instanceof NodeFaultError ? error.kind : error
  }
}

describe('createCallFaults', () => {
  test('default: without faults the node answers', async () => {
    const { call } = createSpoiled()
    expect(await call('a', null)).toEqual({ result: 1 })
  })

  test('behavior: a rejected call does not reach the node', async () => {
    const { call, faults, calls } = createSpoiled()
    faults.refuse()
    expect(await attempt(() => call('a', null))).toBe('refused')
    expect(calls).toEqual([])
  })

  test('behavior: a fault is limited to its methods and number of calls', async () => {
    const { call, faults } = createSpoiled()
    faults.refuse({ methods: ['a'], times: 2 })
    const answers = []
    for (const method of ['b', 'a', 'b', 'a', 'a']) answers.push(await attempt(() => call(method, null)))
    expect(answers).toEqual([{ result: 1 }, 'refused', { result: 2 }, 'refused', { result: 3 }])
  })

  test('behavior: a delay waits before it calls the node', async () => {
    const { call, faults, calls, waits } = createSpoiled()
    faults.delay(250)
    const answer = call('a', null)
    expect(calls).toEqual([])
    expect(waits.map(({ durationMs }) => durationMs)).toEqual([250])
    waits[0]?.end()
    expect(await answer).toEqual({ result: 1 })
  })

  test('behavior: a dropped request is not processed, a dropped answer is', async () => {
    const { call, faults, calls } = createSpoiled()
    faults.drop('request', { times: 1 })
    expect(await attempt(() => call('a', null))).toBe('dropped')
    expect(calls).toEqual([])
    faults.drop('answer', { times: 1 })
    expect(await attempt(() => call('b', null))).toBe('dropped')
    expect(calls).toEqual(['b'])
    expect(await call('c', null)).toEqual({ result: 2 })
  })

  test('behavior: held answers are released newest first', async () => {
    const { call, faults } = createSpoiled()
    faults.reorder(3)
    const order: unknown[] = []
    await Promise.all(
      ['a', 'b', 'c'].map(async (method) => {
        await call(method, null)
        order.push(method)
      }),
    )
    expect(order).toEqual(['c', 'b', 'a'])
  })

  test('behavior: clearing ends all faults and releases held answers', async () => {
    const { call, faults } = createSpoiled()
    faults.reorder(3)
    const held = call('a', null)
    faults.refuse()
    faults.clear()
    expect(await held).toEqual({ result: 1 })
    expect(await call('b', null)).toEqual({ result: 2 })
  })
})
