import { describe, expect, test } from 'bun:test'
import {
  createProvenBlocks,
  type ProvenBlock,
  parseProvenBlocks,
} from '../../../src/client/proof/provenBlocks.ts'

const block = (hash: string, before?: string, text = '{}'): ProvenBlock => ({ hash, eraId: 1, before, text })

describe('createProvenBlocks', () => {
  const hashesOf = (blocks: readonly ProvenBlock[]) => blocks.map(({ hash }) => hash).join('')

  test('default: a block and those that were verified to follow', () => {
    const blocks = createProvenBlocks(100)
    for (const each of [block('a'), block('b', 'a'), block('c', 'b')]) blocks.add(each)
    expect(hashesOf(blocks.run('a', 'c'))).toBe('abc')
    expect(hashesOf(blocks.run('a', 'b'))).toBe('ab')
    expect(hashesOf(blocks.run('b', 'x'))).toBe('bc')
    expect(blocks.run('x', 'c')).toEqual([])
  })

  test('behavior: the least recently used block is evicted when the cache is full', () => {
    const blocks = createProvenBlocks(6)
    for (const each of [block('a'), block('b'), block('c')]) blocks.add(each)
    blocks.get('a')
    blocks.add(block('d'))
    expect(['a', 'b', 'c', 'd'].map((hash) => blocks.get(hash)?.hash ?? '-').join('')).toBe('a-cd')
    blocks.add(block('e', undefined, '{    }'))
    expect(['a', 'c', 'd', 'e'].map((hash) => blocks.get(hash)?.hash ?? '-').join('')).toBe('---e')
  })

  test('behavior: a block that was evicted and added again as trusted follows no other', () => {
    const blocks = createProvenBlocks(6)
    for (const each of [block('a'), block('b', 'a'), block('c', 'b')]) blocks.add(each)
    blocks.get('a')
    blocks.add(block('d'))
    blocks.add(block('b'))
    expect(hashesOf(blocks.run('a', 'b'))).toBe('a')
  })
})

test('behavior: many blocks are parsed in slices', async () => {
  let turns = 0
  const turn = (): void => {
    turns += 1
    if (turns < 1_000) setImmediate(turn)
  }
  setImmediate(turn)
  const parsed = await parseProvenBlocks(
    Array.from({ length: 160 }, () => block('a', undefined, '{"hash":"a"}')),
  )
  expect(parsed.map(({ hash }) => hash)).toEqual(Array(160).fill('a'))
  expect(turns).toBeGreaterThanOrEqual(9)
  turns = 1_000
})
