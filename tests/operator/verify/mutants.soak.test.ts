import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { digestOf, readDocuments, verdictLines } from '../../../scripts/proofMutants/verdictLines.ts'
import { IS_SOAK } from '../../support/soak.ts'

const path = fileURLToPath(new URL('../../../fixtures/verify/digests.tsv', import.meta.url))
const digests = readFileSync(path, 'utf8').trimEnd().split('\n')
const documents = await readDocuments()

// One takes 15 s.
test.each(IS_SOAK ? digests : digests.slice(0, 1))('behavior: the verdicts on mutants: %s', async (line) => {
  const [from, count, digest] = line.split('\t')
  expect(digestOf(await verdictLines(documents, Number(from), Number(count)))).toBe(digest ?? '')
})
