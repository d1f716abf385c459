import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import recorded from '../../../fixtures/eligibility/claim.json'
import { hashToField, ORDER } from '../../../src/operator/eligibility/fieldElement.ts'
import {
  type MembershipProof,
  verifyMembershipProof,
} from '../../../src/operator/eligibility/membershipProof.ts'
import key from '../../../src/operator/eligibility/verificationKey.json'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const claimOf = ({ merkle_root, nullifier, proof, message, scope }: typeof recorded): MembershipProof => ({
  merkleRoot: BigInt(merkle_root),
  nullifier: BigInt(nullifier),
  proof,
  accountHash: message.replace('account-hash-', ''),
  gatePackageHash: scope.replace('hash-', ''),
})

/** A real proof, for an account and a gate that are on no chain. */
const foreignClaim = claimOf(recorded)

/** Order of BN254's base field. */
const BASE_ORDER = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

/** Returns the proof with one of its eight coordinates replaced. */
function withCoordinate(index: number, change: (number: bigint) => bigint): string {
  const { proof } = foreignClaim
  const [start, end] = [index * 64, index * 64 + 64]
  const number = change(BigInt(`0x${proof.slice(start, end)}`))
  return proof.slice(0, start) + number.toString(16).padStart(64, '0') + proof.slice(end)
}

describe('verifyMembershipProof', () => {
  test('default: the recorded proofs verify', async () => {
    const lines = read('fixtures/eligibility/proofs.jsonl').trimEnd().split('\n')
    expect(lines).toHaveLength(8)
    for (const line of lines) expect(await verifyMembershipProof(claimOf(JSON.parse(line)))).toBeTrue()
    expect(await verifyMembershipProof(foreignClaim)).toBeTrue()
  })

  test('error: changed in anything, it does not verify', async () => {
    const { merkleRoot, nullifier, accountHash, gatePackageHash } = foreignClaim
    const changes: Partial<MembershipProof>[] = [
      { merkleRoot: merkleRoot + 1n },
      { nullifier: nullifier + 1n },
      { nullifier: (nullifier + ORDER / 2n) % ORDER },
      { accountHash: gatePackageHash },
      { gatePackageHash: accountHash },
      ...Array.from({ length: 8 }, (_, index) => ({ proof: withCoordinate(index, (number) => number ^ 1n) })),
    ]
    for (const change of changes)
      expect(await verifyMembershipProof({ ...foreignClaim, ...change })).toBeFalse()
  })

  test('error: the same written in another way, which the gate calls malformed', async () => {
    const { merkleRoot, nullifier, proof } = foreignClaim
    const changes: Partial<MembershipProof>[] = [
      { merkleRoot: merkleRoot + ORDER },
      { nullifier: nullifier + ORDER },
      { nullifier: nullifier - ORDER },
      { proof: proof.slice(2) },
      { proof: `${proof}00` },
      ...Array.from({ length: 8 }, (_, index) => ({
        proof: withCoordinate(index, (number) => number + BASE_ORDER),
      })),
    ]
    for (const change of changes)
      expect(await verifyMembershipProof({ ...foreignClaim, ...change })).toBeFalse()
  })

  test('error: infinity in place of a point', async () => {
    const { proof } = foreignClaim
    for (const [start, end] of [
      [0, 128],
      [128, 384],
      [384, 512],
    ] as const) {
      const changed = proof.slice(0, start) + '0'.repeat(end - start) + proof.slice(end)
      expect(await verifyMembershipProof({ ...foreignClaim, proof: changed })).toBeFalse()
    }
  })

  test('behavior: the same points negated are as good, at the gate too', async () => {
    const negate = (index: number): string =>
      withCoordinate(index, (number) => BASE_ORDER - number).slice(index * 64, index * 64 + 64)
    const { proof } = foreignClaim
    const changed =
      proof.slice(0, 64) + negate(1) + proof.slice(128, 256) + negate(4) + negate(5) + proof.slice(384)
    expect(await verifyMembershipProof({ ...foreignClaim, proof: changed })).toBeTrue()
  })

  test('behavior: another account is another message', () => {
    const hash = 'ab'.repeat(32)
    expect(hashToField(hash)).not.toBe(hashToField(`${hash.slice(1)}c`))
  })
})

describe('the verification key', () => {
  test('default: is the contract’s, number by number', () => {
    const numbers = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(numbers)
    const contract = [...read('contracts/src/verification_key.rs').matchAll(/MontFp!\("(\d+)"\)/g)]
    expect(numbers(key)).toEqual(contract.map(([, number = '']) => number))
    expect(contract).toHaveLength(24)
  })
})
