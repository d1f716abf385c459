import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { hashToField, ORDER } from '../../contracts/prover/fieldElement.ts'
import { readGroupFile } from '../../contracts/prover/groupFile.ts'
import { type Identity, loadProver } from '../../contracts/prover/packages.ts'
import {
  formatProof,
  type MembershipProof,
  readProofFile,
  writeProofFile,
} from '../../contracts/prover/proofFile.ts'
import { prove, verify } from '../../contracts/prover/prove.ts'
import { createFolder } from '../agent/support/keys.ts'
import { errorOf } from '../support/errorOf.ts'
import { describeProver } from './support.ts'

const fixtures = new URL('../../fixtures/eligibility/', import.meta.url).pathname
const accountHash = 'ab'.repeat(32)
const gatePackageHash = 'cd'.repeat(32)

/** An identity of the recorded group. */
async function identityOf(number: number): Promise<Identity> {
  const { Identity } = await loadProver()
  return Identity.import(Buffer.alloc(32, number + 1).toString('base64'))
}

const members = async () => (await readGroupFile(`${fixtures}group.json`)) ?? []

describeProver('a proof', () => {
  let made: MembershipProof

  beforeAll(async () => {
    const request = { identity: await identityOf(1), members: await members(), accountHash, gatePackageHash }
    made = await prove(request)
  }, 300_000)

  test('default: verifies', async () => {
    expect(await verify(made)).toBeTrue()
    expect(made).toMatchObject({ accountHash, gatePackageHash })
    expect(made.proof).toMatch(/^[0-9a-f]{512}$/)
  })

  test('behavior: an identity has one nullifier at a gate, for every account and group', async () => {
    const identity = await identityOf(1)
    const other = await prove({
      identity,
      members: [identity.commitment],
      accountHash: '12'.repeat(32),
      gatePackageHash,
    })
    expect(other.nullifier).toBe(made.nullifier)
    expect(other.merkleRoot).toBe(identity.commitment)
    const elsewhere = await prove({
      ...other,
      identity,
      members: await members(),
      gatePackageHash: accountHash,
    })
    expect(elsewhere.nullifier).not.toBe(made.nullifier)
  }, 300_000)

  test('error: changed in anything, it does not verify', async () => {
    const flip = (digit: number): string => {
      const digits = [...made.proof]
      digits[digit] = digits[digit] === '0' ? '1' : '0'
      return digits.join('')
    }
    const changes: Partial<MembershipProof>[] = [
      { merkleRoot: made.merkleRoot + 1n },
      { nullifier: made.nullifier + 1n },
      { nullifier: (made.nullifier + ORDER / 2n) % ORDER },
      { accountHash: `${accountHash.slice(1)}c` },
      { gatePackageHash: accountHash },
      ...[63, 127, 191, 255, 319, 383, 447, 511].map((digit) => ({ proof: flip(digit) })),
    ]
    for (const change of changes) expect(await verify({ ...made, ...change })).toBeFalse()
  })

  test('behavior: another account is another message', () => {
    expect(hashToField(accountHash)).not.toBe(hashToField(`${accountHash.slice(1)}c`))
  })

  test('error: an identity that is not in the group', async () => {
    const identity = await identityOf(7)
    const request = { identity, members: await members(), accountHash, gatePackageHash }
    expect(await errorOf(prove(request))).toMatchObject({ code: 'prover', reason: 'not_a_member' })
  })

  test('behavior: the file is read back as it was written', async () => {
    using folder = createFolder()
    await writeProofFile(`${folder.path}/proof.json`, made)
    expect(await readProofFile(`${folder.path}/proof.json`)).toEqual(made)
  })

  test('behavior: those of the fixtures verify', async () => {
    using folder = createFolder()
    const lines = readFileSync(`${fixtures}proofs.jsonl`, 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(8)
    for (const line of lines)
      expect(await verify(await readProofFile(folder.write('proof.json', line)))).toBeTrue()
  })

  test('error: a file that is none', async () => {
    using folder = createFolder()
    const good = formatProof(made)
    const cases: [object, string][] = [
      [[], 'is not a proof file'],
      [{ ...good, proof: good.proof.slice(2) }, 'its proof is not 256 bytes in hex'],
      [{ ...good, nullifier: ORDER.toString() }, 'its nullifier is not a number below the field’s order'],
      [{ ...good, merkle_root: 1 }, 'its merkle_root is not a number below the field’s order'],
      [{ ...good, scope: undefined }, 'it has no message or no scope'],
      [{ ...good, message: good.scope }, 'the account must be account-hash-…'],
    ]
    for (const [content, message] of cases) {
      const path = folder.write('proof.json', JSON.stringify(content))
      expect(String(await errorOf(readProofFile(path)))).toContain(message)
    }
    expect(String(await errorOf(readProofFile(`${folder.path}/absent`)))).toContain('there is no proof file')
  })
})
