import { describe, expect, test } from 'bun:test'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { parseAccount, parseGate } from '../../../src/operator/eligibility/addresses.ts'
import { ProverError } from '../../../src/operator/eligibility/proverError.ts'

const hex = 'ab'.repeat(32)

describe('parseAccount', () => {
  test('default: the hash of an account hash', () => {
    expect(parseAccount(`account-hash-${hex.toUpperCase()}`)).toBe(hex)
  })

  test.each(['ed25519', 'secp256k1'] as const)(
    'behavior: hashes an %s public key as the SDK does',
    async (format) => {
      const { publicKey, accountHash } = await testSigner(format)
      expect(`account-hash-${parseAccount(publicKey)}`).toBe(accountHash)
    },
  )

  test.each([
    '',
    hex,
    `hash-${hex}`,
    `account-hash-${hex}0`,
    `00${hex}`,
    `01${hex}ff`,
    `02${hex}`,
    `0204${hex}`,
  ])('error: %p', (text) => {
    expect(() => parseAccount(text)).toThrow(
      new ProverError({
        reason: 'account',
        message: 'the account must be account-hash-… or a public key in hex (01… or 02…)',
      }),
    )
  })
})

describe('parseGate', () => {
  test.each([hex, `hash-${hex}`, `hash-${hex.toUpperCase()}`])('default: %p', (text) => {
    expect(parseGate(text)).toBe(hex)
  })

  test.each(['', 'hash-', `account-hash-${hex}`, hex.slice(1)])('error: %p', (text) => {
    expect(() => parseGate(text)).toThrow('the gate must be a package hash')
  })
})
