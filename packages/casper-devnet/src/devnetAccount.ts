import { createPrivateKey, createPublicKey } from 'node:crypto'
import { concatBytes } from '@noble/hashes/utils.js'
import { accountHashOfHex, formatAccountHash } from '@wattfeed/casper/types'
import { blake2b } from './blake2b.ts'

/** A funded account of a devnet. Its secret key is not secret, because it is derived from the seed. */
export interface DevnetAccount {
  /** Public key in hex, with the algorithm byte. */
  publicKey: string
  /** Account hash: `account-hash-…`. */
  accountHash: string
  /** The secret key as PEM, in the format of Casper's tools. */
  secretKeyPem: string
}

const utf8 = new TextEncoder()
/** DER before the 32 bytes of a secret key. */
const PKCS8_OF_ED25519 = Uint8Array.from(Buffer.from('302e020100300506032b657004220420', 'hex'))
/** Length of the DER before the 32 bytes of a public key: `spkiOfEd25519` in `transaction/approvals.ts`. */
const SPKI_BYTES_BEFORE_KEY = 12

/** Derives an Ed25519 account from a seed: that of a number, or the faucet. */
export function createDevnetAccount(seed: Uint8Array, name: number | 'faucet'): DevnetAccount {
  const secret = blake2b(seed, utf8.encode(`account ${name}`))
  const der = Buffer.from(concatBytes(PKCS8_OF_ED25519, secret))
  const publicKey = publicKeyOf(der)
  return {
    publicKey,
    accountHash: formatAccountHash(accountHashOfHex(publicKey)),
    secretKeyPem: formatPem(der),
  }
}

function publicKeyOf(der: Buffer): string {
  const secretKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(secretKey).export({ format: 'der', type: 'spki' })
  return `01${spki.subarray(SPKI_BYTES_BEFORE_KEY).toString('hex')}`
}

function formatPem(der: Buffer): string {
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}
