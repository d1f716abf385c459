import { mutate } from './mutate.ts'
import { type VectorTrust, verdictOf } from './verdictOf.ts'

/** A proof of `fixtures/verify/documents.jsonl`, or of another set. */
export interface VectorDocument {
  name: string
  trust: VectorTrust
  document: unknown
}

/** Which proofs mutants are made of. The other sets came later, and the mutants of the first keep their numbers. */
export type DocumentSet = keyof typeof files

const files = {
  feeds: 'documents.jsonl',
  series: 'series-documents.jsonl',
  ranges: 'range-documents.jsonl',
} as const

/** Reads the proofs that mutants are made of. */
export async function readDocuments(set: DocumentSet = 'feeds'): Promise<VectorDocument[]> {
  const path = new URL(`../../fixtures/verify/${files[set]}`, import.meta.url)
  return Bun.JSONL.parse(await Bun.file(path).text()) as VectorDocument[]
}

/** Returns a mutant's line: its number, the verdict, and the broken link if it is refuted, separated by tabs. */
export async function verdictLine(documents: readonly VectorDocument[], mutant: number): Promise<string> {
  const { document, trust } = mutate(documents, mutant)
  const { verdict, link } = await verdictOf(document, trust)
  return link === null ? `${mutant}\t${verdict}` : `${mutant}\t${verdict}\t${link}`
}

/** Returns the lines of consecutive mutants. */
export async function verdictLines(
  documents: readonly VectorDocument[],
  from: number,
  count: number,
): Promise<string[]> {
  const lines: string[] = []
  for (let mutant = from; mutant < from + count; mutant++) lines.push(await verdictLine(documents, mutant))
  return lines
}

/** Returns the SHA-256 of lines that each end with a line feed, in hex. */
export const digestOf = (lines: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(lines.map((line) => `${line}\n`).join('')).digest('hex')
