import { isRecord } from '../../casper/types/isRecord.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { parseFieldElement } from './fieldElement.ts'
import { assertKind, readJson } from './jsonFile.ts'
import type { MembershipProof } from './membershipProof.ts'
import { ProverError } from './proverError.ts'

/** Formats a proof for its file and `--json`. */
export const formatProof = (proof: MembershipProof) => ({
  merkle_root: proof.merkleRoot.toString(),
  nullifier: proof.nullifier.toString(),
  proof: proof.proof,
  message: `account-hash-${proof.accountHash}`,
  scope: `hash-${proof.gatePackageHash}`,
})

/** Asserts that a proof may be written to a path: nothing or another proof is there. @throws {ProverError} */
export async function assertReplaceable(path: string): Promise<void> {
  const value = await readJson(path, 'proof_file')
  if (value !== null) assertKind(value, 'proof', path)
}

/** Writes a proof file, or replaces one, atomically. @throws {ProverError} if the file is something else. */
export async function writeProofFile(path: string, proof: MembershipProof): Promise<void> {
  await assertReplaceable(path)
  await writeAtomically(path, `${JSON.stringify(formatProof(proof), null, 2)}\n`)
}

/** Reads a proof file. @throws {ProverError} */
export async function readProofFile(path: string): Promise<MembershipProof> {
  const value = await readJson(path, 'proof_file')
  if (value === null)
    throw new ProverError('proof_file', `there is no proof file ${path}; "prove" writes one`)
  assertKind(value, 'proof', path)
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
