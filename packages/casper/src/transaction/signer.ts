import { readFile, stat } from 'node:fs/promises'
import { decodeHex, defineError, encodeHex, systemReason } from '@wattfeed/base'
import type { PrivateKey, Transaction } from 'casper-js-sdk'
import { isAccountHash } from '../types/accountHash.ts'
import type { TransactionApproval } from '../types/transactionV1.ts'
import { createTransaction, type TransactionRequest } from './createTransaction.ts'
import { loadSdk, type Sdk } from './sdk.ts'

/** A key file that cannot be used. The message contains no part of the key. */
export const KeyError = defineError(
  'KeyError',
  'key',
  (facts: {
    /** Null if none is configured. */
    path: string | null
    rule: string
  }) => {
    const file = facts.path === null ? 'the key file' : `the key file ${facts.path}`
    return `${file} ${facts.rule}; set ATTESTER_KEY_PATH to a secret key in PEM, Ed25519 or secp256k1`
  },
)

/** A key that signs for an account: its own, or one that it is associated with. The secret key stays inside. */
export interface Signer {
  /** Hex, prefixed with the algorithm's byte: `01…` Ed25519, `02…` secp256k1. */
  readonly publicKey: string
  /** The public key as an account lists it: `account-hash-…` */
  readonly keyHash: string
  /** The account: `account-hash-…` */
  readonly accountHash: string
  /** The account as its transactions name it: its public key if that is known, else its account hash. */
  readonly initiator: string
  /** Builds and signs a transaction. */
  sign(request: TransactionRequest): Transaction
  /** Signs a transaction's hash, 64 hex digits: an approval of that transaction. */
  approve(transactionHash: string): TransactionApproval
}

/** A signer, and a warning about its key file. */
export interface LoadedSigner {
  signer: Signer
  /** Why the key file is unsafe; null if it is safe. */
  warning: string | null
}

/**
 * Reads a secret key, Ed25519 or secp256k1 in PEM as Casper's tools and openssl write it.
 *
 * @param path - null if it is not set
 * @param account - `account-hash-…` or a public key in hex; null for the key's own
 * @throws {KeyError}
 */
export async function loadSigner(path: string | null, account: string | null = null): Promise<LoadedSigner> {
  if (path === null) throw new KeyError({ path, rule: 'is not set' })
  const { pem, mode } = await readKeyFile(path)
  const sdk = await loadSdk()
  const readable = (mode & 0o077) !== 0
  return {
    signer: createSigner(sdk, parsePem(sdk, path, pem), account === null ? null : hashOf(sdk, account)),
    warning: readable ? `the key file ${path} is readable by others; run chmod 600 on it` : null,
  }
}

async function readKeyFile(path: string): Promise<{ pem: string; mode: number }> {
  try {
    return { pem: await readFile(path, 'utf8'), mode: (await stat(path)).mode }
  } catch (error) {
    const reason = systemReason(error)
    throw new KeyError({ path, rule: reason === 'ENOENT' ? 'does not exist' : `cannot be read (${reason})` })
  }
}

/** The DER of a secret key in hex: the identifier of its curve, and its 32 bytes after `0420`, a tag and the length. */
const encodings = [
  { algorithm: 'ED25519', der: /06032b6570[0-9a-f]{0,4}04220420([0-9a-f]{64})/ },
  { algorithm: 'SECP256K1', der: /0201010420([0-9a-f]{64})a00706052b8104000a/ },
  // The same in PKCS #8, where the curve comes before the key.
  { algorithm: 'SECP256K1', der: /06072a8648ce3d020106052b8104000a.{0,16}0201010420([0-9a-f]{64})/ },
] as const

function parsePem(sdk: Sdk, path: string, pem: string): PrivateKey {
  const body = /^-----BEGIN (?:EC )?PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END/m.exec(pem)?.[1] ?? ''
  const der = Buffer.from(body, 'base64').toString('hex')
  for (const { algorithm, der: pattern } of encodings) {
    const key = pattern.exec(der)?.[1]
    if (key !== undefined) return createKey(sdk, path, key, algorithm)
  }
  throw new KeyError({ path, rule: 'does not contain an unencrypted Ed25519 or secp256k1 secret key in PEM' })
}

function createKey(sdk: Sdk, path: string, hex: string, algorithm: 'ED25519' | 'SECP256K1'): PrivateKey {
  try {
    return sdk.PrivateKey.fromHex(hex, sdk.KeyAlgorithm[algorithm])
  } catch {
    // Thrown without a cause, because the libraries' messages may contain the key.
    throw new KeyError({ path, rule: 'does not contain a valid secret key (scalar out of range)' })
  }
}

const hashOf = (sdk: Sdk, account: string): string =>
  isAccountHash(account) ? account : sdk.PublicKey.fromHex(account).accountHash().toPrefixedString()

function createSigner(sdk: Sdk, key: PrivateKey, account: string | null): Signer {
  const publicKey = key.publicKey.toHex()
  const keyHash = key.publicKey.accountHash().toPrefixedString()
  const accountHash = account ?? keyHash
  return {
    publicKey,
    keyHash,
    accountHash,
    initiator: accountHash === keyHash ? publicKey : accountHash,
    sign(request) {
      const transaction = createTransaction(sdk, request)
      transaction.sign(key)
      return transaction
    },
    approve: (transactionHash) => ({
      signer: publicKey,
      signature: encodeHex(key.signAndAddAlgorithmBytes(decodeHex(transactionHash, 'transaction hash'))),
    }),
  }
}
