import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { InvalidParamsError, textOf, variantOf } from '../params.ts'
import { encodeCalltable } from './calltable.ts'
import { accountHashOf, type PublicKey, parsePublicKey } from './publicKey.ts'
import type { Initiator } from './transaction.ts'

const PUBLIC_KEY = Uint8Array.of(0)
const ACCOUNT_HASH = Uint8Array.of(1)

/** Who sends a TransactionV1, with its bytes. Throws an `InvalidParamsError`. */
export function parseInitiator(value: unknown): { initiator: Initiator; bytes: Uint8Array; json: object } {
  const { name, content } = variantOf(value, ['PublicKey', 'AccountHash'])
  if (name === 'PublicKey') return ofPublicKey(parsePublicKey(content))
  const accountHash = parseAccountHash(content)
  return {
    initiator: { publicKey: null, accountHash },
    bytes: encodeCalltable([ACCOUNT_HASH, accountHash]),
    json: { AccountHash: `account-hash-${encodeHex(accountHash)}` },
  }
}

function ofPublicKey(publicKey: PublicKey) {
  return {
    initiator: { publicKey, accountHash: accountHashOf(publicKey) },
    bytes: encodeCalltable([PUBLIC_KEY, encodePublicKey(publicKey)]),
    json: { PublicKey: publicKey.hex },
  }
}

/** `bytesrepr` of a public key. */
export const encodePublicKey = ({ hex }: PublicKey): Uint8Array => decodeHex(hex, 'public key')

/** The 32 bytes of `account-hash-…`. Throws an {@link InvalidParamsError}. */
export function parseAccountHash(value: unknown): Uint8Array {
  const hex = /^account-hash-([0-9a-f]{64})$/i.exec(textOf(value))?.[1]
  if (hex !== undefined) return decodeHex(hex, 'account hash')
  throw new InvalidParamsError("prefix is not 'account-hash-'")
}
