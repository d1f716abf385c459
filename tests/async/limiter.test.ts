import { expect, test } from 'bun:test'
import { createLimiter } from '../../src/async/limiter.ts'

test('default: the results of all, and no more at once than may be', async () => {
  const limit = createLimiter(3)
  let underWay = 0
  let most = 0
  const work = async (value: number) => {
    most = Math.max(most, ++underWay)
    await Promise.resolve()
    underWay--
    return value
  }
  const values = Array.from({ length: 20 }, (_, index) => index)
  expect(await Promise.all(values.map((value) => limit(() => work(value))))).toEqual(values)
  expect(most).toBe(3)
})

test('behavior: what waits has its turn in order, also after a failure', async () => {
  const limit = createLimiter(1)
  const order: string[] = []
  const note = (name: string) => async () => {
    order.push(name)
    if (name === 'b') throw new Error('broken')
  }
  await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => limit(note(name))))
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})
