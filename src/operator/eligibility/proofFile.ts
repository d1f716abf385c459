import { Type } from '@sinclair/typebox'
import { writeAtomically } from '@wattfeed/base/disk'
import { parseAccount, parseGate } from './addresses.ts'
import { fieldElement } from './fieldElement.ts'
import { assertKind, readFileOfKind, readJson } from './jsonFile.ts'
import type { MembershipProof } from './membershipProof.ts'
import { ProverError } from './proverError.ts'

export const formatProof = (proof: MembershipProof) => ({
  merkle_root: proof.merkleRoot.toString(),
  nullifier: proof.nullifier.toString(),
  proof: proof.proof,
  message: `account-hash-${proof.accountHash}`,
  scope: `hash-${proof.gatePackageHash}`,
})

/** Asserts that a proof may be written to a path: nothing or another proof is there. */
export async function assertReplaceable(path: string): Promise<void> {
  const value = await readJson(path, 'proof')
  if (value !== null) assertKind(value, 'proof', path)
}

export async function writeProofFile(path: string, proof: MembershipProof): Promise<void> {
  await assertReplaceable(path)
  await writeAtomically(path, `${JSON.stringify(formatProof(proof), null, 2)}\n`)
}

const ProofFile = Type.Object({
  merkle_root: fieldElement,
  nullifier: fieldElement,
  proof: Type.String({ pattern: '^[0-9a-f]{512}$', error: '256 bytes in hex' }),
  message: Type.String(),
  scope: Type.String(),
})

export async function readProofFile(path: string): Promise<MembershipProof> {
  const file = await readFileOfKind(path, { kind: 'proof', schema: ProofFile, cure: '"prove" writes one' })
  if (file === null)
    throw new ProverError({
      reason: 'proof_file',
      message: `proof file ${path} does not exist; "prove" writes one`,
    })
  return {
    merkleRoot: file.merkle_root,
    nullifier: file.nullifier,
    proof: file.proof,
    accountHash: parseAccount(file.message),
    gatePackageHash: parseGate(file.scope),
  }
}
