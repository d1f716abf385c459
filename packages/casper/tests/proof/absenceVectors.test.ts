import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { MerkleProofError } from '../../src/proof/merkleProofError.ts'
import { verifyAbsence } from '../../src/proof/verifyAbsence.ts'

interface Vector {
  name: string
  key: string
  state_root_hash: string
  evidence: { merkle_proof: string } | { trie_elements: string[] }
  verdict: string
}

const path = fileURLToPath(new URL('../../../../fixtures/absence/vectors.jsonl', import.meta.url))
const vectors: Vector[] = Bun.JSONL.parse(await Bun.file(path).text()) as Vector[]

test('default: the vectors have every verdict', () => {
  expect([...new Set(vectors.map(({ verdict }) => verdict))].sort()).toEqual([
    'absent',
    'invalid',
    'not shown',
    'present',
  ])
})

test.each(vectors.map((each) => [each.verdict, each.name, each] as const))(
  'behavior: %s: %s',
  (verdict, _, each) => {
    const { key, state_root_hash: stateRootHash, evidence } = each
    const decide = () =>
      verifyAbsence({
        key,
        stateRootHash,
        evidence:
          'merkle_proof' in evidence
            ? { merkleProof: evidence.merkle_proof }
            : { trieElements: evidence.trie_elements },
        what: 'value',
      })
    if (verdict === 'invalid') expect(decide).toThrow(MerkleProofError)
    else expect(decide() as string).toBe(verdict)
  },
)
