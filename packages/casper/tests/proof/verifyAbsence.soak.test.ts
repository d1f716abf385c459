import { describe, expect, test } from 'bun:test'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { hashTrieElement } from '../../src/proof/trieElement.ts'
import {
  countingBytes,
  createWorld,
  expectProofsDecide,
  expectWalksDecide,
  verdictOf,
} from './absenceWorld.ts'

describe('a trie of 100,000 keys', () => {
  const rounds = IS_SOAK ? 5_000 : 150
  const world = createWorld(100_000)

  test('default: a walk decides every key', () => expectWalksDecide(world, rounds))

  test('default: a proof of any other key never gives a false verdict', () =>
    expectProofsDecide(world, rounds, rounds / 10))
})

describe('elements of many chunks', () => {
  // Computed as in verifyAbsence.test.ts.
  const hashes: [number, string][] = [
    [16_777_217, 'bd6b5136dc22b9ddc7fb6ee0d1261fe09040cfc1d68c4d4ec269dc569234a09c'],
    [41_943_041, 'af9c6fd8108a96e363a44219d8636f3db031702de516cfdc28451d9aaa64282f'],
  ]

  test.each(hashes)('default: the hash of %d bytes', (length, expected) => {
    expect(hashTrieElement(countingBytes(length)).toHex()).toBe(expected)
  })

  test('default: another leaf of more than 8 MiB shows an absence', () => {
    const near = `01${'22'.repeat(31)}23`
    const leaf = Buffer.concat([Buffer.from(`00${near}`, 'hex'), Buffer.alloc(8 * 1024 * 1024)])
    const root = Buffer.alloc(1 + 256 + 33)
    root.set([1, 0, 1, 0])
    root.set(hashTrieElement(leaf), 4)
    const stateRootHash = hashTrieElement(root).toHex()
    const trieElements = [root.toString('hex'), leaf.toString('hex')]
    expect(verdictOf(`01${'22'.repeat(32)}`, stateRootHash, { trieElements })).toBe('absent')
    expect(verdictOf(near, stateRootHash, { trieElements })).toBe('present')
    leaf[leaf.length - 1] = 1
    expect(verdictOf(near, stateRootHash, { trieElements: trieElements.with(1, leaf.toString('hex')) })).toBe(
      'trie element: element 1: the hash does not match the pointer',
    )
  })
})
