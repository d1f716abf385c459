import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { digestOf, readDocuments, verdictLines } from '../../../scripts/proofMutants/verdictLines.ts'
import { IS_SOAK } from '../../support/soak.ts'

const linesOf = (name: string): string[] => {
  const path = fileURLToPath(new URL(`../../../fixtures/verify/${name}`, import.meta.url))
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}
const digests = linesOf('digests.tsv')

// One takes 15 s.
test.each([
  ...(IS_SOAK ? digests : digests.slice(0, 1)).map((line) => ['feeds', line] as const),
  ...linesOf('series-digests.tsv').map((line) => ['series', line] as const),
])('behavior: the verdicts on mutants of %s: %s', async (set, line) => {
  const [from, count, digest] = line.split('\t')
  const documents = await readDocuments(set)
  expect(digestOf(await verdictLines(documents, Number(from), Number(count)))).toBe(digest ?? '')
})
