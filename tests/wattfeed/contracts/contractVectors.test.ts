import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { decodeHex } from '@wattfeed/base'
import type { Vectors } from './contractVectors.ts'
import { createVectors, formatMutants, MUTANTS } from './writeVectors.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/contracts/${name}`, import.meta.url), 'utf8')

test('default: the fixtures are what the verifier says today', () => {
  const proofs = fixture('series-proofs.jsonl')
  const vectors: Vectors = JSON.parse(proofs)
  expect(JSON.stringify(createVectors())).toBe(proofs.trimEnd())
  const mutants = fixture('series-mutants.tsv')
  expect(mutants.split('\n').length - 1).toBe(MUTANTS)
  // All take some seconds.
  const first = formatMutants(vectors, 500)
  expect(mutants.slice(0, first.length)).toBe(first)
})

test('behavior: a value of a period of two million leaves takes a few more bytes than its path', () => {
  const { roots, questions, proofs, cases }: Vectors = JSON.parse(fixture('series-proofs.jsonl'))
  const lengths = cases
    .filter(([, root]) => roots[root]?.size === 2_000_000)
    .map(([, , question, proof]) => [
      questions[question]?.statement,
      decodeHex(proofs[proof] ?? '', 'proof').length,
    ])
  // 21 hashes of 32 bytes for one leaf. Two neighbors need 20, and one more for each one at the end of the index.
  expect(lengths).toEqual([
    ['value_of', 696],
    ['newest_period', 696],
    ['newest_value', 696],
    ['newest_value', 920],
  ])
})
