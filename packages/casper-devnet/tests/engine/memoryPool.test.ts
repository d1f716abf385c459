import { expect, test } from 'bun:test'
import { giveBackMemory, takeMemory } from '../../src/engine/memoryPool.ts'

const size = { initial: 1, maximum: 2 }

test('default: a returned memory is reused, filled with zeros', () => {
  const memory = takeMemory(size)
  new Uint8Array(memory.buffer).fill(7)
  giveBackMemory(memory, size)
  expect(takeMemory({ ...size })).toBe(memory)
  expect(new Uint8Array(memory.buffer).every((byte) => byte === 0)).toBeTrue()
  expect(takeMemory(size)).not.toBe(memory)
})

test('behavior: a memory that has grown is not reused', () => {
  const memory = takeMemory(size)
  memory.grow(1)
  giveBackMemory(memory, size)
  expect(takeMemory(size)).not.toBe(memory)
})

test('behavior: a memory of another size or maximum is not reused', () => {
  const memory = takeMemory(size)
  giveBackMemory(memory, size)
  expect(takeMemory({ initial: 2, maximum: 2 })).not.toBe(memory)
  expect(takeMemory({ initial: 1, maximum: 1 })).not.toBe(memory)
  expect(takeMemory(size)).toBe(memory)
})

test('behavior: the newest returned memories are kept', () => {
  const taken = Array.from({ length: 5 }, () => takeMemory(size))
  for (const memory of taken) giveBackMemory(memory, size)
  const again = new Set(Array.from({ length: 5 }, () => takeMemory(size)))
  expect(taken.map((memory) => again.has(memory))).toEqual([false, true, true, true, true])
})
