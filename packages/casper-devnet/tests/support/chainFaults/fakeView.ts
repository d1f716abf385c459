import { stateKey } from '@wattfeed/casper/types'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import type { ChainBlock } from '../../../src/chain/chainBlock.ts'
import type { ChainView, ProvenValue } from '../../../src/chain/chainView.ts'
import { createStateTrie } from '../../../src/state/stateTrie.ts'

const body = { transactions: {}, rewarded_signatures: [] }

/** A chain of blocks that only change global state, for tests of chain views. */
export interface FakeView extends ChainView {
  /** Adds a block with these writes: serialized keys and stored values. */
  add(writes: readonly (readonly [Uint8Array, Uint8Array])[]): ChainBlock
}

export function createFakeView(): FakeView {
  const state = createStateTrie()
  const blocks: ChainBlock[] = []
  const tip = (): ChainBlock => {
    const block = blocks.at(-1)
    if (block === undefined) throw new Error('no block yet')
    return block
  }
  return {
    chainName: 'casper-devnet',
    protocolVersion: () => '2.2.2',
    nextUpgrade: () => null,
    startedAtMs: 0,
    blockTimeMs: null,
    weightsOf: () => [],
    now: () => 1000,
    tip,
    getBlock: (identifier) =>
      blocks.find((block) =>
        'hash' in identifier ? block.hash === identifier.hash : block.height === identifier.height,
      ) ?? null,
    latestSwitchBlock: () => blocks.filter(({ isSwitchBlock }) => isSwitchBlock).at(-1) ?? tip(),
    read(stateRootHash, key): ProvenValue | null {
      const stored = state.get(stateRootHash, stateKey(key))
      const merkleProof = state.prove(stateRootHash, stateKey(key))
      return stored === null || merkleProof === null ? null : { stored, merkleProof }
    },
    trieElement: state.element,
    getTransaction: (_, hash) =>
      hash === 'aa' ? { json: { Version1: {} }, blockHeight: 2, executionInfo: { block_height: 2 } } : null,
    chainspecFiles: () => ({ chainspec: '', accounts: null }),
    check: () => null,
    simulate: () => 'kind',
    put: () => null,
    add(writes) {
      const height = blocks.length
      const parent = blocks.at(-1)?.stateRootHash ?? state.emptyRootHash
      const stateRootHash = state.commit(
        parent,
        writes.map(([key, value]) => [stateKey(key), value]),
      )
      blocks.push({
        hash: hashOf(`block ${height}`),
        height,
        eraId: height,
        timestampMs: height,
        stateRootHash,
        proposer: '00',
        isSwitchBlock: height % 2 === 0,
        json: {
          block: { Version2: { hash: hashOf(`block ${height}`), header: { height }, body } },
          proofs: ['a', 'b', 'c'].map((public_key) => ({ public_key, signature: '' })),
        },
      })
      return tip()
    },
  }
}
