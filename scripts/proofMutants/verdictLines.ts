import { mutate } from './mutate.ts'
import { type VectorTrust, verdictOf } from './verdictOf.ts'

/** A proof of `fixtures/verify/documents.jsonl`, or of `series-documents.jsonl`. */
export interface VectorDocument {
  name: string
  trust: VectorTrust
  document: unknown
}

/** Which proofs mutants are made of. Those of series came later, and the mutants of the others keep their numbers. */
export type DocumentSet = 'feeds' | 'series'

/** Reads the proofs that mutants are made of. */
export async function readDocuments(set: DocumentSet = 'feeds'): Promise<VectorDocument[]> {
  const name = set === 'series' ? 'series-documents.jsonl' : 'documents.jsonl'
  const path = new URL(`../../fixtures/verify/${name}`, import.meta.url)
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
