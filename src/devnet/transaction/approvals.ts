import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { encodeU32 } from '../../bytes/byteWriter.ts'
import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { bytesOf, InvalidParamsError, listOf, requiredField } from '../params.ts'
import { encodePublicKey, parsePublicKey } from './initiator.ts'
import type { Approval } from './transaction.ts'

const SIGNATURE_BYTES = 64
const algorithms = ['ed25519', 'secp256k1'] as const

/** Parses the approvals of a transaction and removes duplicates. */
export function parseApprovals(value: unknown): Approval[] {
  const approvals = listOf(value).map((each) => ({
    signer: parsePublicKey(requiredField(each, 'signer')),
    signature: parseSignature(requiredField(each, 'signature')),
  }))
  const byBytes = new Map(approvals.map((each) => [`${each.signer.hex} ${encodeHex(each.signature)}`, each]))
  return [...byBytes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, approval]) => approval)
}

function parseSignature(value: unknown): Uint8Array {
  const bytes = bytesOf(value, 'decoding from hex: ')
  const algorithm = algorithms[(bytes[0] ?? 0) - 1]
  if (algorithm === undefined)
    throw new InvalidParamsError({ rule: `invalid tag for signature: ${bytes[0] ?? 'none'}` })
  if (bytes.length === SIGNATURE_BYTES + 1) return bytes
  throw new InvalidParamsError({
    rule: `failed to parse ${algorithm} signature: expected ${SIGNATURE_BYTES} bytes`,
  })
}

export const encodeApprovals = (approvals: readonly Approval[]): Uint8Array =>
  concatBytes(
    encodeU32(approvals.length),
    ...approvals.flatMap(({ signer, signature }) => [encodePublicKey(signer), signature]),
  )

export const approvalsJson = (approvals: readonly Approval[]): object[] =>
  approvals.map(({ signer, signature }) => ({
    signer: signer.hex,
    signature: encodeHex(signature),
  }))

export function isValidApproval({ signer, signature }: Approval, hash: string): boolean {
  if (algorithms[(signature[0] ?? 0) - 1] !== signer.algorithm) return false
  const [message, bare] = [decodeHex(hash, 'transaction hash'), signature.subarray(1)]
  try {
    return signer.algorithm === 'ed25519'
      ? verify(null, message, ed25519Key(signer.bytes), bare)
      : secp256k1.verify(bare, message, signer.bytes)
  } catch {
    // The bytes are not a point on the curve.
    return false
  }
}

const spkiOfEd25519 = Buffer.from('302a300506032b6570032100', 'hex')

function ed25519Key(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiOfEd25519, bytes]), format: 'der', type: 'spki' })
}
