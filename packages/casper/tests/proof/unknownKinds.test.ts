import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { MerkleProofError } from '../../src/proof/merkleProofError.ts'
import { verifyMerkleProof } from '../../src/proof/verifyMerkleProof.ts'

interface Vector {
  name: string
  key: string
  state_root_hash: string
  merkle_proof: string
  value: unknown
}

const path = fileURLToPath(new URL('../../../../fixtures/unknown-kinds/vectors.jsonl', import.meta.url))
const vectors: Vector[] = Bun.JSONL.parse(await Bun.file(path).text()) as Vector[]

const verify = ({ key, state_root_hash: stateRootHash, merkle_proof: merkleProof, name: what }: Vector) =>
  verifyMerkleProof({ key, stateRootHash, merkleProof, what })

const proven = vectors.filter(({ value }) => value !== null)
const refused = vectors.filter(({ value }) => value === null)

test.each(proven.map((each) => [each.name, each] as const))('behavior: proven: %s', (_, each) => {
  expect<unknown>(verify(each)).toEqual(each.value)
})

test.each(refused.map((each) => [each.name, each] as const))('error: refused: %s', (_, each) => {
  expect(() => verify(each)).toThrow(MerkleProofError)
})

test.each([
  ['a stored value of an unknown kind', 'unsupported kind 21'],
  ['a contract with a named key of an unknown kind', 'unknown kind 26'],
  ['the end of the account can be read in two ways', 'unknown kind 26'],
])('error: what is unknown is named: %s', (name, rule) => {
  const [vector] = refused.filter((each) => each.name === name)
  expect(() => vector && verify(vector)).toThrow(rule)
})

test('behavior: an account has everything but its named keys', () => {
  expect(proven[0]?.value).toMatchObject({
    Account: {
      associated_keys: [1, 2, 3, 4, 5].map((each) => ({
        account_hash: `account-hash-${`0${each}`.repeat(32)}`,
        weight: each,
      })),
      action_thresholds: { deployment: 3, key_management: 4 },
    },
  })
  expect(proven[0]?.value).not.toHaveProperty('Account.named_keys')
})
