import { readFile } from 'node:fs/promises'
import { hashToField, toHex } from './fieldElement.ts'
import { createGroup, DEPTH, type Members } from './groupFile.ts'
import { artifactPath, type Identity, loadProver, type MemoryFile, type SnarkjsProof } from './packages.ts'
import type { MembershipProof } from './proofFile.ts'
import { ProverError } from './proverError.ts'

export interface ProveRequest {
  identity: Identity
  members: Members
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
  const { identity, members, accountHash, gatePackageHash } = request
  const group = await createGroup(members)
  const member = group.indexOf(identity.commitment)
  if (member === -1)
    throw new ProverError(
      'not_a_member',
      `the identity with commitment ${identity.commitment} is not in the group; use the group file that has it, or ask the gate's owner to add it`,
    )
  const { index, siblings } = group.generateMerkleProof(member)
  const inputs = {
    secret: identity.secretScalar,
    merkleProofLength: siblings.length,
    merkleProofIndex: index,
    merkleProofSiblings: [...siblings, ...Array<bigint>(DEPTH - siblings.length).fill(0n)],
    scope: hashToField(gatePackageHash),
    message: hashToField(accountHash),
  }
  const { snarkjs } = await loadProver()
  const witness: MemoryFile = { type: 'mem' }
  await snarkjs.wtns.calculate(inputs, await inMemory(artifactPath('wasm')), witness)
  const { proof, publicSignals } = await snarkjs.groth16.prove(await inMemory(artifactPath('zkey')), witness)
  const [merkleRoot, nullifier] = publicSignals.map(BigInt)
  if (merkleRoot !== group.root || nullifier === undefined)
    throw new Error('the circuit did not prove membership in this group')
  const made = { merkleRoot, nullifier, proof: encodeProof(proof), accountHash, gatePackageHash }
  if (!(await verify(made))) throw new Error('the proof that was made does not verify')
  return made
}

/** Whether a proof is valid, by snarkjs and the key of the parameters. */
export async function verify(proof: MembershipProof): Promise<boolean> {
  const { snarkjs } = await loadProver()
  const key: unknown = JSON.parse(await readFile(artifactPath('json'), 'utf8'))
  return snarkjs.groth16.verify(key, publicSignalsOf(proof), decodeProof(proof.proof))
}

/** In the order of the circuit. */
const publicSignalsOf = ({ merkleRoot, nullifier, accountHash, gatePackageHash }: MembershipProof) =>
  [merkleRoot, nullifier, hashToField(accountHash), hashToField(gatePackageHash)].map(String)

/** snarkjs leaves closing the files it opens to the garbage collector, which is an error in Bun. */
const inMemory = async (path: string): Promise<MemoryFile> => ({ type: 'mem', data: await readFile(path) })

/** Encodes the eight coordinates for the contract; in the quadratic extension, the second part comes first. */
function encodeProof({ pi_a: [ax, ay], pi_b: [bx, by], pi_c: [cx, cy] }: SnarkjsProof): string {
  const numbers = [ax, ay, bx?.[1], bx?.[0], by?.[1], by?.[0], cx, cy]
  return numbers.map((number) => toHex(BigInt(number ?? 0))).join('')
}

function decodeProof(hex: string): SnarkjsProof {
  const numbers = (hex.match(/.{64}/g) ?? []).map((each) => BigInt(`0x${each}`).toString())
  const [ax = '', ay = '', bx1 = '', bx0 = '', by1 = '', by0 = '', cx = '', cy = ''] = numbers
  return {
    pi_a: [ax, ay, '1'],
    pi_b: [
      [bx0, bx1],
      [by0, by1],
      ['1', '0'],
    ],
    pi_c: [cx, cy, '1'],
  }
}
