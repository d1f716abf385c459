import { encodeHex } from '@wattfeed/base'
import { loadSigner, type Signer, type TransactionRequest } from '@wattfeed/casper/transaction'
import { presentArguments } from '@wattfeed/casper/types'
import { createFolder } from '@wattfeed/testing/folder'
import type { Transaction } from 'casper-js-sdk'

/** Secret keys that hold no money anywhere. */
export const secretHex = { ed25519: 'a1'.repeat(32), secp256k1: 'b2'.repeat(32) } as const

/** Their uncompressed secp256k1 point is optional in the formats, and is not there. */
const der = {
  ed25519: `302e020100300506032b657004220420${secretHex.ed25519}`,
  secp256k1: `302e0201010420${secretHex.secp256k1}a00706052b8104000a`,
  secp256k1Pkcs8:
    `304d020100301006072a8648ce3d020106052b8104000a0436303402010104 20${secretHex.secp256k1}a00706052b8104000a`.replace(
      ' ',
      '',
    ),
} as const

const label = { ed25519: 'PRIVATE KEY', secp256k1: 'EC PRIVATE KEY', secp256k1Pkcs8: 'PRIVATE KEY' } as const

export type KeyFormat = keyof typeof der

/** A key in PEM, lines of 64 as every tool writes them. */
export function pemOf(format: KeyFormat): string {
  const body =
    Buffer.from(der[format], 'hex')
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label[format]}-----`, ...body, `-----END ${label[format]}-----`, ''].join('\n')
}

/** A signer with the Ed25519 key; the same for all. */
export function testSigner(format: KeyFormat = 'ed25519'): Promise<Signer> {
  const signer = signers.get(format) ?? loadKey(format)
  signers.set(format, signer)
  return signer
}

const signers = new Map<KeyFormat, Promise<Signer>>()

async function loadKey(format: KeyFormat): Promise<Signer> {
  using folder = createFolder()
  const { signer } = await loadSigner(folder.write('key.pem', pemOf(format)))
  return rememberingSigner(signer)
}

/** Long ones hold wasm. */
const MAX_REMEMBERED = 250

/** Signs what it has signed before only once: that takes milliseconds, and matrices sign the same often. */
export function rememberingSigner(signer: Signer): Signer {
  const signed = new Map<string, Transaction>()
  return {
    ...signer,
    sign(request) {
      const key = describeRequest(request)
      const transaction = signed.get(key) ?? signer.sign(request)
      signed.delete(key)
      signed.set(key, transaction)
      if (signed.size > MAX_REMEMBERED) signed.delete(signed.keys().next().value ?? '')
      return transaction
    },
  }
}

function describeRequest({ target, args, paymentMotes, ...rest }: TransactionRequest): string {
  const code = 'wasm' in target ? `${Bun.hash(target.wasm)}` : target
  const named = presentArguments(args).map(([name, { clType, bytes }]) => [name, clType, encodeHex(bytes)])
  return JSON.stringify([code, named, `${paymentMotes}`, rest])
}

/** Finds a secret key in any spelling. */
export const keyMaterial = new RegExp(
  [secretHex.ed25519, secretHex.secp256k1]
    .flatMap((hex) => [
      hex.slice(0, 16),
      Buffer.from(hex, 'hex').toString('base64').slice(0, 12).replace(/[+/]/g, '\\$&'),
    ])
    .join('|'),
  'i',
)
