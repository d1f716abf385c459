import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { accountHashOf, type TaggedKey } from '../../casper/types/accountHash.ts'
import { encodeCalltable } from '../../casper/types/calltable.ts'
import { bytesOf, InvalidParamsError, textOf, variantOf } from '../params.ts'

export interface Initiator {
  /** Null if the transaction contains only the account hash. */
  publicKey: PublicKey | null
  accountHash: Uint8Array
}

const PUBLIC_KEY = Uint8Array.of(0)
const ACCOUNT_HASH = Uint8Array.of(1)

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

export const encodePublicKey = ({ hex }: PublicKey): Uint8Array => decodeHex(hex, 'public key')

export function parseAccountHash(value: unknown): Uint8Array {
  const hex = /^account-hash-([0-9a-f]{64})$/i.exec(textOf(value))?.[1]
  if (hex !== undefined) return decodeHex(hex, 'account hash')
  throw new InvalidParamsError({ rule: "prefix is not 'account-hash-'" })
}

const ED25519 = 1
const SECP256K1 = 2

export interface PublicKey extends TaggedKey {
  /** Lower-case hex, with the algorithm byte. */
  hex: string
}

export function parsePublicKey(value: unknown): PublicKey {
  const bytes = bytesOf(value, 'decoding from hex: ')
  const algorithm = algorithmOf(bytes[0])
  const length = algorithm === 'ed25519' ? 32 : 33
  if (bytes.length !== length + 1)
    throw new InvalidParamsError({
      rule: `failed to parse ${algorithm} public key: expected ${length} bytes`,
    })
  return { algorithm, hex: encodeHex(bytes), bytes: bytes.subarray(1) }
}

function algorithmOf(tag: number | undefined): PublicKey['algorithm'] {
  if (tag === ED25519) return 'ed25519'
  if (tag === SECP256K1) return 'secp256k1'
  throw new InvalidParamsError({ rule: `invalid tag for public key: ${tag ?? 'none'}` })
}
