import { readFile } from 'node:fs/promises'
import { hashToField, toHex } from './fieldElement.ts'
import { type MembershipProof, verifyMembershipProof } from './membershipProof.ts'
import { artifactPath, type Identity, loadSnarkjs, type MemoryFile, type SnarkjsProof } from './packages.ts'
import { ProverError } from './proverError.ts'
import type { Tree } from './tree.ts'

export interface ProveRequest {
  identity: Identity
  tree: Tree
  /** 64 hex digits. */
  accountHash: string
  /** 64 hex digits. */
  gatePackageHash: string
}

/**
 * Proves that an identity of the group vouches for an account at a gate, and verifies the proof.
 *
 * @throws {ProverError} if the identity is not in the group.
 *
 * @see https://docs.semaphore.pse.dev/technical-reference/circuits
 */
export async function prove(request: ProveRequest): Promise<MembershipProof> {
  const { identity, tree, accountHash, gatePackageHash } = request
  const path = tree.pathOf(identity.commitment)
  if (path === null)
    throw new ProverError({
      reason: 'not_a_member',
      message: `the identity with commitment ${identity.commitment} is not in the group; use the group file that has it, or hand its public key to the gate's owner`,
    })
  const proven = await proveStatement({
    secret: identity.secretScalar,
    merkleProofLength: path.siblings.length,
    merkleProofIndex: path.index,
    merkleProofSiblings: path.siblings,
    scope: hashToField(gatePackageHash),
    message: hashToField(accountHash),
  })
  const made = { ...proven, accountHash, gatePackageHash }
  if (made.merkleRoot !== tree.root) throw new Error('the circuit did not prove membership in this group')
  if (!(await verifyMembershipProof(made))) throw new Error('the created proof does not verify')
  return made
}

/**
 * The inputs of Semaphore's circuit, under the circuit's names. The number of siblings always equals the circuit's
 * depth.
 */
export interface Statement {
  secret: bigint
  merkleProofLength: number
  merkleProofIndex: number
  merkleProofSiblings: readonly bigint[]
  scope: bigint
  message: bigint
}

/** Proves the circuit's outputs for any inputs, even a root of no group. */
export async function proveStatement(
  inputs: Statement,
): Promise<Pick<MembershipProof, 'merkleRoot' | 'nullifier' | 'proof'>> {
  const snarkjs = await loadSnarkjs()
  const witness: MemoryFile = { type: 'mem' }
  await snarkjs.wtns.calculate(inputs, await inMemory(artifactPath('wasm')), witness)
  const { proof, publicSignals } = await snarkjs.groth16.prove(await inMemory(artifactPath('zkey')), witness)
  const [merkleRoot, nullifier] = publicSignals.map(BigInt)
  if (merkleRoot === undefined || nullifier === undefined)
    throw new Error(`the circuit returned ${publicSignals.length} outputs, expected 2`)
  return { merkleRoot, nullifier, proof: encodeProof(proof) }
}

/** snarkjs leaves closing the files it opens to the garbage collector, which is an error in Bun. */
const inMemory = async (path: string): Promise<MemoryFile> => ({ type: 'mem', data: await readFile(path) })

/** Encodes the eight coordinates for the contract; in the quadratic extension, the second part comes first. */
function encodeProof({ pi_a: [ax, ay], pi_b: [bx, by], pi_c: [cx, cy] }: SnarkjsProof): string {
  const numbers = [ax, ay, bx?.[1], bx?.[0], by?.[1], by?.[0], cx, cy].filter((each) => each !== undefined)
  if (numbers.length !== 8) throw new Error('a point of the proof lacks a coordinate')
  return numbers.map((number) => toHex(BigInt(number))).join('')
}
