import { expect, test } from 'bun:test'
import { RecentFiles } from '../src/recentFiles.ts'

/** Files of one byte for each letter of their name, of at most 4 bytes together. */
function create() {
  const reads: string[] = []
  const recent = new RecentFiles<string>(4)
  const get = (path: string) =>
    recent.get(path, async () => {
      reads.push(path)
      return { parsed: path.toUpperCase(), bytes: path.length }
    })
  return { reads, recent, get }
}

test('default: the files that were used last are kept', async () => {
  const { reads, get } = create()
  for (const path of ['aa', 'bb', 'aa', 'cc', 'aa', 'bb']) expect(await get(path)).toBe(path.toUpperCase())
  expect(reads).toEqual(['aa', 'bb', 'cc', 'bb'])
})

test('behavior: the newest is kept, whatever its size', async () => {
  const { reads, get } = create()
  for (const path of ['a', 'large', 'large', 'a']) await get(path)
  expect(reads).toEqual(['a', 'large', 'a'])
})

test('behavior: concurrent reads of a file share it', async () => {
  const { reads, get } = create()
  expect(await Promise.all(['a', 'a', 'bbb', 'cccc', 'a'].map(get))).toEqual(['A', 'A', 'BBB', 'CCCC', 'A'])
  expect(reads).toEqual(['a', 'bbb', 'cccc'])
})

test('error: a failure is not kept', async () => {
  const { reads, recent, get } = create()
  await expect(recent.get('a', () => Promise.reject(new Error('the disk')))).rejects.toThrow('the disk')
  expect(await get('a')).toBe('A')
  expect(reads).toEqual(['a'])
})
