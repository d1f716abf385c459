import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { digestOf, readDocuments, verdictLines } from '../../../scripts/proofMutants/verdictLines.ts'

const linesOf = (name: string): string[] => {
  const path = fileURLToPath(new URL(`../../../fixtures/verify/${name}`, import.meta.url))
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}
// One takes seconds. vectors.integration.test.ts has most of the first, so the short form takes the second.
const [first, end] = IS_SOAK ? [0, Number.POSITIVE_INFINITY] : [1, 2]

test.each(
  (
    [
      ['feeds', 'digests.tsv'],
      ['series', 'series-digests.tsv'],
      ['ranges', 'range-digests.tsv'],
    ] as const
  ).flatMap(([set, file]) =>
    linesOf(file)
      .slice(first, end)
      .map((line) => [set, line] as const),
  ),
)('behavior: the verdicts on mutants of %s: %s', async (set, line) => {
  const [from, count, digest] = line.split('\t')
  const documents = await readDocuments(set)
  expect(digestOf(await verdictLines(documents, Number(from), Number(count)))).toBe(digest ?? '')
})
