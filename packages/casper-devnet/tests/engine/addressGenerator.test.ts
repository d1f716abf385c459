import { describe, expect, test } from 'bun:test'
import { blake2b } from '../../src/blake2b.ts'
import { createAddressGenerator } from '../../src/engine/addressGenerator.ts'

describe('createAddressGenerator', () => {
  // The node's addresses from the recorded installation of the gate.
  const hash = Uint8Array.fromHex('455728ce7cfff9a36662ba5420b5f53431ce48946e72fec69da7017cdc920e00')

  test('default: the consecutive addresses that a node generates for a transaction', () => {
    const addresses = createAddressGenerator(hash)
    expect([1, 2, 3].map(() => addresses.next().toHex())).toEqual([
      'cea0618ecee04799dd155a906556e9137341c606f3f122d8643bb5aea36643e3',
      'd44e7b44b75a5f5e36038ee6cbec6ceb4160b5b7f59904320e57656121929dd7',
      'c97e3c84535607631e61dd90b7edef3ede91ceb4c23d7b2f965ad363fafbbfdd',
    ])
  })

  test('behavior: nextHash returns the hash of the next address', () => {
    const [one, other] = [createAddressGenerator(hash), createAddressGenerator(hash)]
    expect(one.nextHash()).toEqual(blake2b(other.next()))
  })
})
