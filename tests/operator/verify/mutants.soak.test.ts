import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { digestOf, readDocuments, verdictLines } from '../../../scripts/proofMutants/verdictLines.ts'
import { IS_SOAK } from '../../support/soak.ts'

const linesOf = (name: string): string[] => {
  const path = fileURLToPath(new URL(`../../../fixtures/verify/${name}`, import.meta.url))
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}
const most = IS_SOAK ? Number.POSITIVE_INFINITY : 1

// One takes seconds.
test.each(
  [['feeds', 'digests.tsv'] as const, ['series', 'series-digests.tsv'] as const].flatMap(([set, file]) =>
    linesOf(file)
      .slice(0, most)
      .map((line) => [set, line] as const),
  ),
)('behavior: the verdicts on mutants of %s: %s', async (set, line) => {
  const [from, count, digest] = line.split('\t')
  const documents = await readDocuments(set)
  expect(digestOf(await verdictLines(documents, Number(from), Number(count)))).toBe(digest ?? '')
})
