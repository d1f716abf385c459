import {
  type DocumentSet,
  digestOf,
  readDocuments,
  verdictLines,
} from '../../../../scripts/proofMutants/verdictLines.ts'
import { verdictOf } from '../../../../scripts/proofMutants/verdictOf.ts'
import { applyChanges } from './applyChanges.ts'
import { listBlockVectors } from './blockVectors.ts'
import { type Lie, listLies } from './lies.ts'
import { createProvenDocuments, type ProvenDocument } from './provenDocuments.ts'
import { createRangeDocuments } from './rangeDocuments.ts'
import { listRangeLies } from './rangeLies.ts'
import { createSeriesDocuments } from './seriesDocuments.ts'
import { listSeriesLies } from './seriesLies.ts'
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

/** Writes documents, and the lies about them. */
async function writeDocuments(
  prefix: string,
  proven: readonly ProvenDocument[],
  told: readonly Lie[],
): Promise<void> {
  for (const { name, document, trust } of proven) {
    const { verdict, link } = await verdictOf(document, trust)
    if (verdict !== 'proven') throw new Error(`${name}: ${verdict} ${link}`)
  }
  const find = (name: string): ProvenDocument => {
    const found = proven.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no document ${name}`)
    return found
  }
  const lies: object[] = []
  for (const { name, document, changes, expected, ...lie } of told) {
    const base = find(document)
    const trust = JSON.parse(JSON.stringify({ ...base.trust, ...lie.trust }))
    const changed = applyChanges(base.document, changes, (other) => find(other).document)
    const { verdict, link } = await verdictOf(changed, trust)
    if ((link ?? verdict) !== expected) throw new Error(`${name}: ${link ?? verdict}, not ${expected}`)
    lies.push({ name, document, trust, changes, verdict, link })
  }
  await writeJson(`${prefix}documents.jsonl`, proven)
  await writeJson(`${prefix}lies.jsonl`, lies)
}

const proven = await createProvenDocuments()
await writeDocuments('', proven, listLies(proven))
const series = await createSeriesDocuments()
await writeDocuments('series-', series.documents, listSeriesLies(series))
const ranges = await createRangeDocuments()
await writeDocuments('range-', ranges.documents, await listRangeLies(ranges))
await writeJson('signatures.jsonl', createSignatureVectors())
await writeJson('blocks.jsonl', await listBlockVectors())

const MUTANTS = 2_000
const MUTANTS_OF_DIGEST = 2_500

/** Writes the verdicts on mutants of the documents, and digests of more of them. */
async function writeMutants(set: DocumentSet, prefix: string, digestCount: number): Promise<void> {
  const documents = await readDocuments(set)
  const digests: string[] = []
  for (let nth = 0; nth < digestCount; nth++) {
    const from = nth * MUTANTS_OF_DIGEST
    const lines = await verdictLines(documents, from, MUTANTS_OF_DIGEST)
    if (nth === 0) await write(`${prefix}mutants.tsv`, lines.slice(0, MUTANTS))
    digests.push(`${from}\t${MUTANTS_OF_DIGEST}\t${digestOf(lines)}`)
  }
  await write(`${prefix}digests.tsv`, digests)
}

await writeMutants('feeds', '', 40)
await writeMutants('series', 'series-', 4)
await writeMutants('ranges', 'range-', 4)
