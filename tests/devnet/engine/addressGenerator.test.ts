import { describe, expect, test } from 'bun:test'
import { blake2b } from '../../../src/devnet/blake2b.ts'
import { chaCha20Block, createAddressGenerator } from '../../../src/devnet/engine/addressGenerator.ts'

describe('chaCha20Block', () => {
  // RFC 8439, appendix A.1, test vectors 1 and 2.
  test.each([
    [
      0,
      '76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586',
    ],
    [
      1,
      '9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f',
    ],
  ])('default: block %d of a key of zeros', (counter, hex) => {
    expect(chaCha20Block(new Uint8Array(32), counter).toHex()).toBe(hex)
  })
})

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
