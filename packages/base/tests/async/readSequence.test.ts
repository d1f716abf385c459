import { describe, expect, test } from 'bun:test'
import { readSequence } from '../../src/async/readSequence.ts'

describe('readSequence', () => {
  test('default: one item for each index, in order, however long each takes', async () => {
    const read = async (index: number) => {
      for (let turn = index; turn < 9; turn++) await Promise.resolve()
      return index
    }
    expect(await readSequence({ from: 3, to: 9, concurrency: 4 }, read)).toEqual([3, 4, 5, 6, 7, 8])
  })

  test('behavior: an empty or backward range asks nothing', async () => {
    const read = () => Promise.reject(new Error('asked'))
    expect(await readSequence({ from: 5, to: 5, concurrency: 4 }, read)).toEqual([])
    expect(await readSequence({ from: 5, to: 1, concurrency: 4 }, read)).toEqual([])
  })

  test('behavior: no more are under way than may be', async () => {
    let underWay = 0
    let most = 0
    const read = async () => {
      most = Math.max(most, ++underWay)
      await Promise.resolve()
      underWay--
    }
    await readSequence({ from: 0, to: 50, concurrency: 7 }, read)
    expect(most).toBe(7)
  })

  test('error: the first failure ends it, for any claimed length', async () => {
    let asked = 0
    const read = async (index: number) => {
      asked++
      if (index === 3) throw new Error('gap')
      return index
    }
    const sequence = { from: 0, to: Number.MAX_SAFE_INTEGER, concurrency: 2 }
    expect(await readSequence(sequence, read).catch((error: Error) => error.message)).toBe('gap')
    expect(asked).toBeLessThan(8)
  })
})
