import { describe, expect, test } from 'bun:test'
import { NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { createFolder } from '@wattfeed/testing/folder'
import type { Chain } from '../../src/chain/createChain.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const heightOf = (chain: Chain): number => chain.tip().height
const placeOf = (chain: Chain, nonce: number) =>
  chain.getTransaction('Version1', sessionOf(nonce).hash)?.blockHeight

describe('a snapshot', () => {
  test('default: reverting restores blocks, state, transactions and the time, as often as wanted', () => {
    const chain = createTestChain()
    chain.put(sessionOf(1))
    const before = chain.tip()
    const id = chain.snapshot()
    for (let times = 0; times < 2; times++) {
      chain.setTime(NOW + 86_400_000)
      chain.put(sessionOf(2))
      const removed = chain.tip()
      expect([heightOf(chain), placeOf(chain, 2)]).toEqual([2, 2])
      chain.revert(id)
      expect(chain.tip()).toEqual(before)
      expect(chain.now()).toBe(NOW)
      expect([placeOf(chain, 1), placeOf(chain, 2)]).toEqual([1, undefined])
      expect(chain.getBlock({ hash: removed.hash })).toBeNull()
      expect(() => chain.read(removed.stateRootHash, new Uint8Array(33))).toThrow('unknown state root')
    }
    // The reverted transaction is new again.
    expect(chain.put(sessionOf(2))).toBeNull()
    expect(chain.tip()).toMatchObject({ height: 2, timestampMs: before.timestampMs + 1 })
  })

  test('behavior: the chain goes on as one that never had the reverted blocks', () => {
    const [chain, other] = [createTestChain(), createTestChain()]
    const id = chain.snapshot()
    for (let height = 1; height <= 25; height++) chain.produceBlock()
    chain.revert(id)
    expect(chain.latestSwitchBlock().height).toBe(0)
    for (const each of [chain, other]) for (const nonce of [1, 2, 3]) each.put(sessionOf(nonce))
    expect(chain.tip()).toEqual(other.tip())
  })

  test('behavior: pending transactions are those of the snapshot', () => {
    const chain = createTestChain({ blockTimeMs: 'manual' })
    chain.put(sessionOf(1))
    const id = chain.snapshot()
    chain.put(sessionOf(2))
    chain.produceBlock()
    chain.put(sessionOf(3))
    chain.revert(id)
    expect([1, 2, 3].map((nonce) => placeOf(chain, nonce))).toEqual([null, undefined, undefined])
    chain.produceBlock()
    expect([1, 2, 3].map((nonce) => placeOf(chain, nonce))).toEqual([1, undefined, undefined])
  })

  test('behavior: there can be several; reverting forgets the later ones', () => {
    const chain = createTestChain()
    const ids = [0, 1, 2].map(() => {
      chain.produceBlock()
      return chain.snapshot()
    })
    expect(ids).toEqual([1, 2, 3])
    chain.revert(2)
    expect(heightOf(chain)).toBe(2)
    expect(() => chain.revert(3)).toThrow('snapshot must be the number of a snapshot: 1, 2')
    expect(chain.snapshot()).toBe(4)
    chain.revert(1)
    expect(heightOf(chain)).toBe(1)
    expect(() => createTestChain().revert(1)).toThrow(
      'snapshot must be the number of a snapshot, and there is none',
    )
  })

  test('behavior: an upgrade that was planned later is forgotten', () => {
    const chain = createTestChain({ chainspec: chainspecs['2.0.3'] })
    const id = chain.snapshot()
    const eraId = chain.upgrade(chainspecs['2.2.2'])
    while (chain.tip().eraId < eraId) chain.produceBlock()
    expect(chain.protocolVersion()).toBe('2.2.2')
    chain.revert(id)
    expect([chain.protocolVersion(), chain.nextUpgrade()]).toEqual(['2.0.0', null])
  })

  test('behavior: a stored chain continues from the reverted block', () => {
    using folder = createFolder()
    const chain = createTestChain({ directory: folder.path })
    chain.put(sessionOf(1))
    const id = chain.snapshot()
    for (const nonce of [2, 3]) chain.put(sessionOf(nonce))
    chain.revert(id)
    chain.put(sessionOf(4))
    const tip = chain.tip()
    chain.close()
    const again = createTestChain({ directory: folder.path })
    expect(again.tip()).toEqual(tip)
    expect([1, 2, 3, 4].map((nonce) => placeOf(again, nonce))).toEqual([1, undefined, undefined, 2])
    again.close()
  })
})

test('behavior: listeners hear of it', () => {
  const chain = createTestChain({ blockTimeMs: 'manual' })
  const names: string[] = []
  chain.subscribe((event) => names.push(String(Object.keys(event))))
  const id = chain.snapshot()
  chain.put(sessionOf(1))
  chain.revert(id)
  chain.put(sessionOf(2))
  expect(names).toEqual([
    'ApiVersion',
    'TransactionAccepted',
    'Reverted',
    'ApiVersion',
    'TransactionAccepted',
  ])
})
