import { parseArgs } from 'node:util'
import { mutate } from './proofMutants/mutate.ts'
import { readDocuments, verdictLine } from './proofMutants/verdictLines.ts'

/**
 * Prints the verdict on each mutant of the proofs in `fixtures/verify/documents.jsonl`, to compare verifiers:
 *
 *     bun scripts/verifyMutants.ts --from 0 --count 100000
 *
 * With `--documents`, it prints the mutants themselves. With `--series` or `--ranges`, they are mutants of `series-documents.jsonl` or
 * `range-documents.jsonl`.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '2000' },
    documents: { type: 'boolean', default: false },
    series: { type: 'boolean', default: false },
    ranges: { type: 'boolean', default: false },
  },
})

const documents = await readDocuments(values.ranges ? 'ranges' : values.series ? 'series' : 'feeds')
const end = Number(values.from) + Number(values.count)
for (let mutant = Number(values.from); mutant < end; mutant++) {
  if (values.documents) console.log(JSON.stringify({ mutant, ...mutate(documents, mutant) }))
  else console.log(await verdictLine(documents, mutant))
}
