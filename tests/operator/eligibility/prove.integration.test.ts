import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { ORDER } from '../../../src/operator/eligibility/fieldElement.ts'
import { leavesOf } from '../../../src/operator/eligibility/group.ts'
import { readGroupFile } from '../../../src/operator/eligibility/groupFile.ts'
import {
  type MembershipProof,
  verifyMembershipProof,
} from '../../../src/operator/eligibility/membershipProof.ts'
import {
  assertReplaceable,
  formatProof,
  readProofFile,
  writeProofFile,
} from '../../../src/operator/eligibility/proofFile.ts'
import { prove } from '../../../src/operator/eligibility/prove.ts'
import { createTree } from '../../../src/operator/eligibility/tree.ts'
import { describeProver } from './describeProver.ts'
import { identityOf } from './identities.ts'

const fixtures = new URL('../../../fixtures/eligibility/', import.meta.url).pathname
const accountHash = 'ab'.repeat(32)
const gatePackageHash = 'cd'.repeat(32)

const recordedTree = async () =>
  createTree(leavesOf((await readGroupFile(`${fixtures}group.json`))?.members ?? []))

describeProver('a proof', () => {
  let made: MembershipProof

  beforeAll(async () => {
    const request = {
      identity: await identityOf(1),
      tree: await recordedTree(),
      accountHash,
      gatePackageHash,
    }
    made = await prove(request)
  })

  test('default: verifies', async () => {
    expect(await verifyMembershipProof(made)).toBeTrue()
    expect(made).toMatchObject({ accountHash, gatePackageHash })
    expect(made.proof).toMatch(/^[0-9a-f]{512}$/)
  })

  test('behavior: an identity has one nullifier at a gate, for every account and group', async () => {
    const identity = await identityOf(1)
    const tree = await createTree([identity.commitment])
    const other = await prove({
      identity,
      tree,
      accountHash: '12'.repeat(32),
      gatePackageHash,
    })
    expect(other.nullifier).toBe(made.nullifier)
    expect(other.merkleRoot).toBe(tree.root)
    const elsewhere = await prove({
      ...other,
      identity,
      tree: await recordedTree(),
      gatePackageHash: accountHash,
    })
    expect(elsewhere.nullifier).not.toBe(made.nullifier)
  })

  test('error: an identity that is not in the group', async () => {
    const identity = await identityOf(7)
    const request = { identity, tree: await recordedTree(), accountHash, gatePackageHash }
    expect(await errorOf(prove(request))).toMatchObject({ code: 'prover', reason: 'not_a_member' })
  })

  test('behavior: the file is read back as it was written', async () => {
    using folder = createFolder()
    await writeProofFile(`${folder.path}/proof.json`, made)
    expect(await readProofFile(`${folder.path}/proof.json`)).toEqual(made)
  })

  test('behavior: only another proof is replaced; nothing else is touched', async () => {
    using folder = createFolder()
    const path = folder.write('proof.json', JSON.stringify(formatProof({ ...made, nullifier: 5n })))
    await writeProofFile(path, made)
    expect(await readProofFile(path)).toEqual(made)
    const others: [string, string][] = [
      ['{"private_key":"x","commitment":"1"}', 'is an identity file; it was not changed; use the proof file'],
      [readFileSync(`${fixtures}group.json`, 'utf8'), 'is a group file; it was not changed'],
      ['{"some":"thing"}', 'is not a proof file; it was not changed'],
      ['[1]', 'is not a proof file; it was not changed'],
      ['a note', 'is not JSON; it was not changed'],
      ['', 'is not JSON; it was not changed'],
    ]
    for (const [content, message] of others) {
      const other = folder.write('other', content)
      expect(await errorOf(writeProofFile(other, made))).toMatchObject({
        code: 'prover',
        reason: 'proof_file',
      })
      expect(String(await errorOf(assertReplaceable(other)))).toContain(message)
      expect(readFileSync(other, 'utf8')).toBe(content)
    }
    await assertReplaceable(`${folder.path}/absent`)
  })

  test('error: a file that is invalid', async () => {
    using folder = createFolder()
    const good = formatProof(made)
    const cases: [object, string][] = [
      [[], 'is not a proof file'],
      [{ ...good, proof: good.proof.slice(2) }, ': it must be 256 bytes in hex'],
      [
        { ...good, nullifier: ORDER.toString() },
        'nullifier is "21888242871839275222246405745257275088548364400416034343698204186575808495617": it must be a number above 0 and below the field’s order',
      ],
      [
        { ...good, merkle_root: 1 },
        'merkle_root is 1: it must be a number above 0 and below the field’s order',
      ],
      [{ ...good, scope: undefined }, 'scope is missing: it must be a text'],
      [{ ...good, message: good.scope }, 'the account must be account-hash-…'],
    ]
    for (const [content, message] of cases) {
      const path = folder.write('proof.json', JSON.stringify(content))
      expect(String(await errorOf(readProofFile(path)))).toContain(message)
    }
    expect(String(await errorOf(readProofFile(`${folder.path}/absent`)))).toContain('does not exist')
  })
})
