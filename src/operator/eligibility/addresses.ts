import { encodeHex } from '@wattfeed/base'
import { accountHashOfText } from '@wattfeed/casper/types'
import { ProverError } from './proverError.ts'

/**
 * Parses an account hash (`account-hash-…`) or a public key in hex (`01…` Ed25519, `02…` secp256k1) to the 64 hex digits
 * of the account hash.
 */
export function parseAccount(text: string): string {
  const hash = accountHashOfText(text)
  // After the algorithm's byte, a secp256k1 key is a compressed point, which begins with 02 or 03. Others are mistyped.
  if (hash === null || /^02(?!0[23])/.test(text))
    throw new ProverError({
      reason: 'account',
      message: 'the account must be account-hash-… or a public key in hex (01… or 02…)',
    })
  return encodeHex(hash)
}

/** Parses a gate's package hash, with or without `hash-`, to 64 hex digits. */
export function parseGate(text: string): string {
  const hash = /^(?:hash-)?([0-9a-f]{64})$/i.exec(text)?.[1]
  if (hash === undefined)
    throw new ProverError({
      reason: 'gate',
      message: 'the gate must be a package hash: 64 hex digits, with or without hash-',
    })
  return hash.toLowerCase()
}
