import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { decodeHex } from '@wattfeed/base'
import type { TransactionApproval } from '@wattfeed/casper/codec'

/** Returns approvals in a node's order, without duplicates. */
export function sortApprovals(approvals: readonly TransactionApproval[]): readonly TransactionApproval[] {
  const byBytes = new Map(approvals.map((each) => [`${each.signer} ${each.signature}`, each]))
  return [...byBytes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, approval]) => approval)
}

export function isValidApproval({ signer, signature }: TransactionApproval, hash: string): boolean {
  if (signer.slice(0, 2) !== signature.slice(0, 2)) return false
  const message = decodeHex(hash, 'transaction hash')
  const key = decodeHex(signer, 'public key').subarray(1)
  const bare = decodeHex(signature, 'signature').subarray(1)
  try {
    return signer.startsWith('01')
      ? verify(null, message, ed25519Key(key), bare)
      : secp256k1.verify(bare, message, key)
  } catch {
    // The bytes are not a point on the curve.
    return false
  }
}

/** DER before the 32 bytes of a public key. */
const spkiOfEd25519 = Buffer.from('302a300506032b6570032100', 'hex')

function ed25519Key(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiOfEd25519, bytes]), format: 'der', type: 'spki' })
}
