import { describe, expect, test } from 'bun:test'
import { CHAIN_NAME, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { createSealer } from '../../src/chain/sealer.ts'
import { chainspec } from '../support/chainspec.ts'

const options = {
  chainName: CHAIN_NAME,
  seed: new Uint8Array(32).fill(7),
  chainspec,
  validators: 3,
  eraLength: 20,
}
const stateRootHash = 'ab'.repeat(32)

describe('createSealer', () => {
  test('behavior: sealing the same block again gives the same block', () => {
    const sealer = createSealer(options)
    const genesis = sealer.seal({ parent: null, stateRootHash, timestampMs: NOW, transactions: [] })
    const next = { parent: genesis, stateRootHash, timestampMs: NOW + 1, transactions: [] }
    const first = sealer.seal(next)
    expect(first.json.block.Version2.header).toMatchObject({ height: 1, parent_hash: genesis.hash })
    expect(sealer.seal(next)).toEqual(first)
  })
})
