import { describe, expect, test } from 'bun:test'
import { MerkleProofError } from '../../../src/casper/proof/merkleProofError.ts'
import { verifyDictionaryItem } from '../../../src/casper/proof/verifyDictionaryItem.ts'
import { blake2b, list, string, u8, u32 } from '../../support/bytesrepr.ts'

const ANY = u8(21)
const STRING = u8(10)
const seed = 'ab'.repeat(32)
const seedUref = `uref-${seed}-007`
const itemKey = 'schlüssel'
const hexOf = (text: string): string => Buffer.from(text).toString('hex')

/** A serialized dictionary item as a node stores it. */
const wrap = ({
  value = list(string('wert')) + STRING,
  storedSeed = seed,
  storedKey = itemKey,
  type = ANY,
} = {}) => `00${list(value + list(storedSeed) + list(hexOf(storedKey)))}${type}`

/** The item of a trie that holds nothing else. */
function itemOf(storedValue: string, asked: { seedUref?: string; itemKey?: string } = {}): unknown {
  const key = `09${blake2b(seed + hexOf(itemKey))}`
  const pointers = Array.from({ length: 256 }, () => '00')
  pointers[9] = `0100${blake2b(`00${key}${storedValue}`)}`
  return verifyDictionaryItem({
    stateRootHash: blake2b(`01${pointers.join('')}`),
    seedUref,
    itemKey,
    ...asked,
    merkleProof: `${u32(1)}${key}${storedValue}${u32(1)}00${u8(9)}${u32(0)}`,
    what: 'item',
  })
}

describe('verifyDictionaryItem', () => {
  test('default: the item without what it is wrapped in', () => {
    expect(itemOf(wrap())).toEqual({ CLValue: { cl_type: 'String', bytes: string('wert') } })
  })

  test('behavior: the access rights of the seed do not count', () => {
    expect(itemOf(wrap(), { seedUref: `uref-${seed}-000` })).toEqual(itemOf(wrap()))
  })

  test('error: another item, or the same item of another dictionary, was asked for', () => {
    const error = new MerkleProofError('item', 'key', 'the proof is for another key')
    expect(() => itemOf(wrap(), { itemKey: 'another' })).toThrow(error)
    expect(() => itemOf(wrap(), { seedUref: `uref-${'cd'.repeat(32)}-007` })).toThrow(error)
  })

  const broken: [string, string, string][] = [
    ['is wrapped with another seed', wrap({ storedSeed: 'cd'.repeat(32) }), 'it is of another dictionary'],
    ['is wrapped with a shorter seed', wrap({ storedSeed: 'ab'.repeat(31) }), 'it is of another dictionary'],
    ['is wrapped with another key', wrap({ storedKey: 'another' }), 'it has another item key'],
    ['is of a type of its own', wrap({ type: STRING }), 'the value is no item'],
    ['is era info', `07${u32(0)}`, 'the value is no item'],
  ]
  test.each(broken)('error: the value %s', (_, storedValue, rule) => {
    expect(() => itemOf(storedValue)).toThrow(new MerkleProofError('item', 'dictionary item', rule))
  })

  test('error: the wrapping ends early or goes on', () => {
    const bare = `00${list(list(string('wert')) + STRING)}${ANY}`
    const longer = `00${list(`${list(string('wert')) + STRING + list(seed) + list(hexOf(itemKey))}00`)}${ANY}`
    for (const stored of [bare, longer]) expect(() => itemOf(stored)).toThrow(MerkleProofError)
  })
})
