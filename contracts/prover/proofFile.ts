import { isRecord } from '../../src/casper/types/isRecord.ts'
import { writeAtomically } from '../../src/runtime/writeAtomically.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { parseFieldElement } from './fieldElement.ts'
import { ProverError } from './proverError.ts'
import { readJson } from './readJson.ts'

/** A proof and its statement. */
export interface MembershipProof {
  merkleRoot: bigint
  nullifier: bigint
  /** 512 hex digits: a.x, a.y, b.x.c1, b.x.c0, b.y.c1, b.y.c0, c.x, c.y. */
  proof: string
  /** 64 hex digits: the account that may claim with it. */
  accountHash: string
  /** 64 hex digits: the gate to claim at. */
  gatePackageHash: string
}

/** Formats a proof for its file and `--json`. */
export const formatProof = (proof: MembershipProof) => ({
  merkle_root: proof.merkleRoot.toString(),
  nullifier: proof.nullifier.toString(),
  proof: proof.proof,
  message: `account-hash-${proof.accountHash}`,
  scope: `hash-${proof.gatePackageHash}`,
})

/** Replaces a proof file atomically. */
export function writeProofFile(path: string, proof: MembershipProof): Promise<void> {
  return writeAtomically(path, `${JSON.stringify(formatProof(proof), null, 2)}\n`)
}

/** Reads a proof file. @throws {ProverError} */
export async function readProofFile(path: string): Promise<MembershipProof> {
  const value = await readJson(path, 'proof_file')
  if (value === null)
    throw new ProverError('proof_file', `there is no proof file ${path}; "prove" writes one`)
  const { merkle_root, nullifier, proof, message, scope } = isRecord(value) ? value : {}
  const fault = (rule: string) =>
    new ProverError('proof_file', `${path} is not a proof file: ${rule}; "prove" writes one`)
  const number = (text: unknown, name: string) => {
    const parsed = typeof text === 'string' ? parseFieldElement(text) : null
    if (parsed === null) throw fault(`its ${name} is not a number below the field’s order`)
    return parsed
  }
  if (typeof proof !== 'string' || !/^[0-9a-f]{512}$/.test(proof))
    throw fault('its proof is not 256 bytes in hex')
  if (typeof message !== 'string' || typeof scope !== 'string') throw fault('it has no message or no scope')
  return {
    merkleRoot: number(merkle_root, 'merkle_root'),
    nullifier: number(nullifier, 'nullifier'),
    proof,
    accountHash: parseAccount(message),
    gatePackageHash: parseGate(scope),
  }
}
