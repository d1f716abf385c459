import { describe, expect, test } from 'bun:test'
import { MerkleProofError, verifyMerkleProof } from '@wattfeed/casper'
import { json, signedCall } from '@wattfeed/casper/testing/sdkTransactions'
import { dictionaryKey, encodeDictionaryItem, encodeStoredValue, formatKey } from '@wattfeed/casper/types'
import { encodeMotes } from '../../../src/engine/purse.ts'
import { UnknownRootError } from '../../../src/state/stateTrie.ts'
import { parseTransaction } from '../../../src/transaction/parseTransaction.ts'
import { createFakeView } from './fakeView.ts'
import { createViewFaults } from './viewFaults.ts'

const changing = dictionaryKey(new Uint8Array(32).fill(1))
const constant = dictionaryKey(new Uint8Array(32).fill(2))

const item = encodeStoredValue({
  kind: 'CLValue',
  value: encodeDictionaryItem({
    value: { clType: { List: 'U8' }, bytes: Uint8Array.of(2, 0, 0, 0, 8, 9) },
    seed: new Uint8Array(32),
    itemKey: Uint8Array.of(65),
  }),
})

function createSpoiled() {
  const chain = createFakeView()
  for (const motes of [10n, 20n, 30n, 40n, 50n])
    chain.add([
      [changing, encodeMotes(motes)],
      [constant, item],
    ])
  return { chain, ...createViewFaults(chain) }
}

/** Returns the value that a served proof proves at a root, or the reason why it proves none. */
function proven(stateRootHash: string, key: Uint8Array, merkleProof: Uint8Array): unknown {
  try {
    verifyMerkleProof({ merkleProof: merkleProof.toHex(), stateRootHash, key: formatKey(key), what: 'value' })
    return 'proven'
  } catch (error) {
    return error instanceof MerkleProofError ? error.link : error
  }
}

describe('createViewFaults', () => {
  test('default: without faults it is the chain', () => {
    const { chain, view } = createSpoiled()
    const { stateRootHash } = chain.tip()
    expect(view.tip()).toEqual(chain.tip())
    expect(view.read(stateRootHash, changing)).toEqual(chain.read(stateRootHash, changing))
    expect(view.latestSwitchBlock()).toEqual(chain.latestSwitchBlock())
    expect(proven(stateRootHash, changing, view.read(stateRootHash, changing)?.merkleProof ?? item)).toBe(
      'proven',
    )
  })

  test('behavior: a node that lies about everything serves changed elements of the trie', () => {
    const { chain, view, faults } = createSpoiled()
    const { stateRootHash } = chain.tip()
    expect(view.trieElement(stateRootHash)).toEqual(chain.trieElement(stateRootHash))
    faults.lie()
    expect(view.trieElement(stateRootHash)).not.toEqual(chain.trieElement(stateRootHash))
    expect(view.trieElement('0'.repeat(64))).toBeNull()
    faults.lie({ keys: [formatKey(changing)] })
    expect(view.trieElement(stateRootHash)).toEqual(chain.trieElement(stateRootHash))
  })

  test('behavior: a node that lags knows no newer block, root or execution', () => {
    const { chain, view, faults } = createSpoiled()
    const newest = chain.tip()
    faults.lag(3)
    expect(view.tip().height).toBe(1)
    expect(view.latestSwitchBlock().height).toBe(0)
    expect(view.getBlock({ height: 2 })).toBeNull()
    expect(view.getBlock({ hash: newest.hash })).toBeNull()
    expect(view.getBlock({ height: 1 })?.height).toBe(1)
    expect(() => view.read(newest.stateRootHash, changing)).toThrow(UnknownRootError)
    expect(view.read(view.tip().stateRootHash, changing)?.stored).toEqual(encodeMotes(20n))
    expect(view.getTransaction('Version1', 'aa')).toEqual({
      json: { Version1: {} },
      blockHeight: null,
      executionInfo: null,
    })
    faults.lag(1)
    expect(view.getTransaction('Version1', 'aa')?.blockHeight).toBe(2)
    faults.lag(100)
    expect(view.tip().height).toBe(0)
  })

  test('behavior: a lie returns the previous value with its old proof, which does not match the root', () => {
    const { chain, view, faults } = createSpoiled()
    const { stateRootHash } = chain.tip()
    faults.lie()
    const told = view.read(stateRootHash, changing)
    expect(told?.stored).toEqual(encodeMotes(40n))
    expect(proven(stateRootHash, changing, told?.merkleProof ?? item)).toBe('state root')
    expect(
      proven(chain.getBlock({ height: 3 })?.stateRootHash ?? '', changing, told?.merkleProof ?? item),
    ).toBe('proven')
  })

  test('behavior: a lie about a value that never changed returns a different value, without a valid proof', () => {
    const { chain, view, faults } = createSpoiled()
    const { stateRootHash } = chain.tip()
    faults.lie()
    const told = view.read(stateRootHash, constant)
    expect(told?.stored).not.toEqual(item)
    expect(told?.stored.length).toBe(item.length)
    expect(told?.stored.toHex()).toBe(item.toHex().replace('0809', '0808'))
    expect(proven(stateRootHash, constant, told?.merkleProof ?? item)).toBe('state root')
  })

  test('behavior: a lie about one key does not affect others, and missing values stay missing', () => {
    const { chain, view, faults } = createSpoiled()
    const { stateRootHash } = chain.tip()
    faults.lie({ keys: [formatKey(constant)] })
    expect(view.read(stateRootHash, changing)).toEqual(chain.read(stateRootHash, changing))
    expect(view.read(stateRootHash, constant)).not.toEqual(chain.read(stateRootHash, constant))
    expect(view.read(stateRootHash, dictionaryKey(new Uint8Array(32)))).toBeNull()
  })

  test('behavior: finality ends with the newest block', () => {
    const { chain, view, faults } = createSpoiled()
    faults.stopFinality()
    const last = view.tip()
    chain.add([[changing, encodeMotes(60n)]])
    expect(last.json.proofs).toHaveLength(3)
    expect(view.getBlock({ height: last.height })?.json.proofs).toHaveLength(3)
    expect(view.tip().json.proofs).toEqual([{ public_key: 'a', signature: '' }])
    chain.add([[changing, encodeMotes(70n)]])
    expect(view.tip().isSwitchBlock).toBe(true)
    expect(view.latestSwitchBlock()).toEqual(view.tip())
    expect(chain.tip().json.proofs).toHaveLength(3)
  })

  test('behavior: a withheld transaction is known to this node only', () => {
    const { chain, view, faults } = createSpoiled()
    faults.withhold()
    const transaction = parseTransaction({ Version1: json(signedCall('package hash').toJSON()) })
    expect(view.put(transaction)).toBeNull()
    const known = { json: transaction.json, blockHeight: null, executionInfo: null }
    expect(view.getTransaction('Version1', transaction.hash)).toEqual(known)
    expect(chain.getTransaction('Version1', transaction.hash)).toBeNull()
    faults.clear()
    expect(view.getTransaction('Version1', transaction.hash)).toBeNull()
  })

  test('behavior: clearing ends all faults', () => {
    const { chain, view, faults } = createSpoiled()
    faults.lag(2)
    faults.lie()
    faults.stopFinality()
    faults.clear()
    chain.add([[changing, encodeMotes(60n)]])
    expect(view.tip()).toEqual(chain.tip())
    expect(view.read(chain.tip().stateRootHash, changing)?.stored).toEqual(encodeMotes(60n))
  })
})
