import { beforeEach, expect, test } from 'bun:test'
import { createMemoryPool, type MemoryPool } from '../../../src/devnet/engine/contractMemory.ts'

const size = { initial: 1, maximum: 2 }

let pool: MemoryPool

beforeEach(() => {
  pool = createMemoryPool()
})

test('default: a returned memory is reused, filled with zeros', () => {
  const memory = pool.take(size)
  new Uint8Array(memory.buffer).fill(7)
  pool.giveBack(memory, size)
  expect(pool.take({ ...size })).toBe(memory)
  expect(new Uint8Array(memory.buffer).every((byte) => byte === 0)).toBeTrue()
  expect(pool.take(size)).not.toBe(memory)
})

test('behavior: a memory that has grown is not reused', () => {
  const memory = pool.take(size)
  memory.grow(1)
  pool.giveBack(memory, size)
  expect(pool.take(size)).not.toBe(memory)
})

test('behavior: a memory of another size or maximum is not reused', () => {
  const memory = pool.take(size)
  pool.giveBack(memory, size)
  expect(pool.take({ initial: 2, maximum: 2 })).not.toBe(memory)
  expect(pool.take({ initial: 1, maximum: 1 })).not.toBe(memory)
  expect(pool.take(size)).toBe(memory)
})

test('behavior: the newest returned memories are kept', () => {
  const taken = Array.from({ length: 5 }, () => pool.take(size))
  for (const memory of taken) pool.giveBack(memory, size)
  const again = new Set(Array.from({ length: 5 }, () => pool.take(size)))
  expect(taken.map((memory) => again.has(memory))).toEqual([false, true, true, true, true])
})
