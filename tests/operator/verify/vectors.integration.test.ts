import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { verifySignature } from '@wattfeed/casper/light-client'
import { readDocuments, verdictLines } from '../../../scripts/proofMutants/verdictLines.ts'
import { type VectorTrust, verdictOf } from '../../../scripts/proofMutants/verdictOf.ts'
import { applyChanges, type Change } from './vectors/applyChanges.ts'
import { type BlockVector, listBlockVectors } from './vectors/blockVectors.ts'
import { createProvenDocuments } from './vectors/provenDocuments.ts'
import { createRangeDocuments } from './vectors/rangeDocuments.ts'
import { createSeriesDocuments } from './vectors/seriesDocuments.ts'
import type { SignatureVector } from './vectors/signatureVectors.ts'

const folder = fileURLToPath(new URL('../../../fixtures/verify/', import.meta.url))
const readText = (name: string): Promise<string> => Bun.file(`${folder}${name}`).text()
const read = async <T>(name: string): Promise<T[]> => Bun.JSONL.parse(await readText(name)) as T[]

interface LieVector {
  name: string
  document: string
  trust: VectorTrust
  changes: Change[]
  verdict: string
  link: string | null
}

const documents = await readDocuments()
const series = await readDocuments('series')
const ranges = await readDocuments('ranges')
const lies = [
  ...(await read<LieVector>('lies.jsonl')).map((lie) => ({ lie, among: documents })),
  ...(await read<LieVector>('series-lies.jsonl')).map((lie) => ({ lie, among: series })),
  ...(await read<LieVector>('range-lies.jsonl')).map((lie) => ({ lie, among: ranges })),
]
const signatures = await read<SignatureVector>('signatures.jsonl')
const digests = (await readText('digests.tsv'))
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [from: string, count: string, digest: string])

test('default: the generator makes the same documents', async () => {
  expect(await createProvenDocuments()).toEqual(documents)
  expect((await createSeriesDocuments()).documents).toEqual(series)
  expect((await createRangeDocuments()).documents).toEqual(ranges)
})

test('default: every document is proven', async () => {
  for (const { name, document, trust } of [...documents, ...series, ...ranges])
    expect([name, await verdictOf(document, trust)]).toEqual([name, { verdict: 'proven', link: null }])
})

test.each(lies.map((each) => [`${each.lie.document}: ${each.lie.name}`, each] as const))(
  'behavior: the verdict on a lie: %s',
  async (_, { lie: { document, trust, changes, verdict, link }, among }) => {
    const find = (name: string): unknown => among.find((each) => each.name === name)?.document
    expect(await verdictOf(applyChanges(find(document), changes, find), trust)).toEqual({
      verdict,
      link,
    } as Awaited<ReturnType<typeof verdictOf>>)
  },
)

test.each(signatures.map((each) => [each.name, each] as const))(
  'behavior: a signature: %s',
  async (_, { public_key, message, signature, is_valid }) => {
    expect(await verifySignature(public_key, Uint8Array.fromHex(message), signature)).toBe(is_valid)
  },
)

test('behavior: the recorded blocks have their hashes, and are final', async () => {
  expect(await listBlockVectors()).toEqual(await read<BlockVector>('blocks.jsonl'))
})

test.each([
  ['mutants.tsv', documents],
  ['series-mutants.tsv', series],
  ['range-mutants.tsv', ranges],
] as const)('behavior: the verdicts on mutants: %s', async (name, among) => {
  const lines = (await readText(name)).trimEnd().split('\n')
  expect(lines).toHaveLength(2_000)
  expect(await verdictLines(among, 0, lines.length)).toEqual(lines)
})

test('default: the digests are those of 100,000 mutants', () => {
  expect(digests.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(100_000)
})
