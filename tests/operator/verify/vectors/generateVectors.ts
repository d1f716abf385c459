import { digestOf, readDocuments, verdictLines } from '../../../../scripts/proofMutants/verdictLines.ts'
import { verdictOf } from '../../../../scripts/proofMutants/verdictOf.ts'
import { applyChanges } from './applyChanges.ts'
import { listBlockVectors } from './blockVectors.ts'
import { listLies } from './lies.ts'
import { createProvenDocuments } from './provenDocuments.ts'
import { createSignatureVectors } from './signatureVectors.ts'

/** Writes `fixtures/verify/`: `bun tests/operator/verify/vectors/generateVectors.ts`. The same vectors every time. */

const folder = new URL('../../../../fixtures/verify/', import.meta.url)
const write = (name: string, lines: readonly string[]): Promise<number> =>
  Bun.write(new URL(name, folder), lines.map((line) => `${line}\n`).join(''))
const writeJson = (name: string, values: readonly unknown[]): Promise<number> =>
  write(
    name,
    values.map((value) => JSON.stringify(value)),
  )

const proven = await createProvenDocuments()
for (const { name, document, trust } of proven) {
  const { verdict, link } = await verdictOf(document, trust)
  if (verdict !== 'proven') throw new Error(`${name}: ${verdict} ${link}`)
}
await writeJson('documents.jsonl', proven)

function find(name: string) {
  const found = proven.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no document ${name}`)
  return found
}

const lies: object[] = []
for (const { name, document, changes, expected, ...lie } of listLies(proven)) {
  const base = find(document)
  const trust = JSON.parse(JSON.stringify({ ...base.trust, ...lie.trust }))
  const changed = applyChanges(base.document, changes, (other) => find(other).document)
  const { verdict, link } = await verdictOf(changed, trust)
  if ((link ?? verdict) !== expected) throw new Error(`${name}: ${link ?? verdict}, not ${expected}`)
  lies.push({ name, document, trust, changes, verdict, link })
}
await writeJson('lies.jsonl', lies)
await writeJson('signatures.jsonl', createSignatureVectors())
await writeJson('blocks.jsonl', await listBlockVectors())

const MUTANTS = 2_000
const DIGESTS = 10
const MUTANTS_OF_DIGEST = 10_000
const documents = await readDocuments()
const digests: string[] = []
for (let nth = 0; nth < DIGESTS; nth++) {
  const from = nth * MUTANTS_OF_DIGEST
  const lines = await verdictLines(documents, from, MUTANTS_OF_DIGEST)
  if (nth === 0) await write('mutants.tsv', lines.slice(0, MUTANTS))
  digests.push(`${from}\t${MUTANTS_OF_DIGEST}\t${digestOf(lines)}`)
}
await write('digests.tsv', digests)
