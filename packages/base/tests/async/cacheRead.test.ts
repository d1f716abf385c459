import { expect, test } from 'bun:test'
import { cacheRead } from '../../src/async/cacheRead.ts'

/** Reads that end when the test says so. */
function createReads() {
  const cache = new Map<string, Promise<string>>()
  const reads: PromiseWithResolvers<string>[] = []
  const get = (key: string) =>
    cacheRead(cache, key, () => {
      const read = Promise.withResolvers<string>()
      reads.push(read)
      return read.promise
    })
  return { cache, reads, get }
}

test('default: concurrent and later callers share a read', async () => {
  const { reads, get } = createReads()
  const [one, two] = [get('a'), get('a')]
  reads[0]?.resolve('value')
  expect(await Promise.all([one, two, get('a')])).toEqual(['value', 'value', 'value'])
  get('b')
  expect(reads.length).toBe(2)
})

test('behavior: a failed read is shared by those that wait, and not cached', async () => {
  const { reads, get } = createReads()
  const waiting = [get('a'), get('a')]
  reads[0]?.reject(new Error('broken'))
  for (const each of waiting) await expect(each).rejects.toThrow('broken')
  const again = get('a')
  reads[1]?.resolve('value')
  expect(await again).toBe('value')
})

test('behavior: the failure of a read that was removed does not remove the next one', async () => {
  const { cache, reads, get } = createReads()
  const first = get('a')
  cache.delete('a')
  const second = get('a')
  reads[0]?.reject(new Error('broken'))
  await Promise.allSettled([first])
  expect(get('a')).toBe(second)
})
