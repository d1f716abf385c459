import { describe, expect, test } from 'bun:test'
import type { Call } from '../../src/rpc/jsonRpc.ts'
import { limited } from '../../src/rpc/layers.ts'
import { nodeCall } from './nodeCall.ts'

describe('limited', () => {
  test('default: three calls are in flight at most, and each gets its own result', async () => {
    let [inFlight, most] = [0, 0]
    const next: Call = async ({ method }) => {
      most = Math.max(most, ++inFlight)
      await Promise.resolve()
      inFlight--
      return method
    }
    const call = limited(next, 3)
    const methods = Array.from({ length: 20 }, (_, index) => `read ${index}`)
    expect(await Promise.all(methods.map((method) => call(nodeCall({ method }))))).toEqual(methods)
    expect(most).toBe(3)
  })

  test('behavior: waiting calls have their turn in order, even after a failure', async () => {
    const order: string[] = []
    const call = limited(async ({ method }) => {
      order.push(method)
      if (method === 'b') throw new Error('broken')
    }, 1)
    await Promise.allSettled(['a', 'b', 'c', 'd'].map((method) => call(nodeCall({ method }))))
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })
})
