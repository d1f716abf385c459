import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { verifySignature } from '@wattfeed/casper/light-client'
import { readDocuments, verdictLines } from '../../../scripts/proofMutants/verdictLines.ts'
import { type VectorTrust, verdictOf } from '../../../scripts/proofMutants/verdictOf.ts'
import { applyChanges, type Change } from './vectors/applyChanges.ts'
import { type BlockVector, listBlockVectors } from './vectors/blockVectors.ts'
import { createProvenDocuments } from './vectors/provenDocuments.ts'
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
const lies = await read<LieVector>('lies.jsonl')
const signatures = await read<SignatureVector>('signatures.jsonl')
const digests = (await readText('digests.tsv'))
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [from: string, count: string, digest: string])

test('default: the generator makes the same documents', async () => {
  expect(await createProvenDocuments()).toEqual(documents)
})

test('default: every document is proven', async () => {
  for (const { name, document, trust } of documents)
    expect([name, await verdictOf(document, trust)]).toEqual([name, { verdict: 'proven', link: null }])
})

test.each(lies.map((lie) => [`${lie.document}: ${lie.name}`, lie] as const))(
  'behavior: the verdict on a lie: %s',
  async (_, { document, trust, changes, verdict, link }) => {
    const find = (name: string): unknown => documents.find((each) => each.name === name)?.document
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

test('behavior: the verdicts on mutants', async () => {
  const lines = (await readText('mutants.tsv')).trimEnd().split('\n')
  expect(lines).toHaveLength(2_000)
  expect(await verdictLines(documents, 0, lines.length)).toEqual(lines)
})

test('default: the digests are those of 100,000 mutants', () => {
  expect(digests.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(100_000)
})
