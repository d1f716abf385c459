import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import type { PrivateKey } from 'casper-js-sdk'
import { both, bytes, contract, type Step, session, u8, u32 } from './step.ts'

const message = new TextEncoder().encode('a message to sign')

/** The key and the signature with the byte of their algorithm. */
const signatureOf = (signer: PrivateKey): Uint8Array =>
  Uint8Array.of(signer.publicKey.bytes()[0] ?? 0, ...signer.sign(message))

const signatures: readonly Step[] = (['ed25519', 'secp256k1'] as const).flatMap((algorithm) => {
  const signer = keys[algorithm]
  const signed = {
    message: bytes(message),
    signature: bytes(signatureOf(signer)),
    key: bytes(signer.publicKey.bytes()),
  }
  const other = keys[algorithm === 'ed25519' ? 'secp256k1' : 'ed25519']
  return [
    ...both('verify_signature', () => signed),
    session('verify_signature', () => ({ ...signed, message: bytes(message.slice(1)) })),
    session('verify_signature', () => ({ ...signed, key: bytes(other.publicKey.bytes()) })),
    session('verify_signature', () => ({ ...signed, signature: bytes(signatureOf(signer).slice(0, 30)) })),
    session('verify_signature', () => ({ ...signed, key: bytes(signer.publicKey.bytes().slice(0, 30)) })),
    ...[0, 1, 7].map((recovery) =>
      session('recover_secp256k1', () => ({ ...signed, recovery: u8(recovery) })),
    ),
  ]
})

export const cryptoSteps: readonly Step[] = [
  ...[32, 40, 31].flatMap((size) => [
    session('blake2b', () => ({ message: bytes(message), size: u32(size) })),
    ...[0, 1, 2, 3].map((algorithm) =>
      session('generic_hash', () => ({ message: bytes(message), size: u32(size), algorithm: u8(algorithm) })),
    ),
    session('random_bytes', () => ({ size: u32(size) })),
  ]),
  contract('blake2b', () => ({ message: bytes(message), size: u32(32) })),
  contract('generic_hash', () => ({ message: bytes(message), size: u32(32), algorithm: u8(1) })),
  contract('random_bytes', () => ({ size: u32(32) })),
  ...signatures,
]
