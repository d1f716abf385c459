import { describe, expect, test } from 'bun:test'
import { chaCha20Block } from '../../src/engine/chaCha20.ts'

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
