/**
 * Writes what the tests of `contracts/wattfeed` compare with the verifier of TypeScript.
 *
 * usage: bun tests/wattfeed/contracts/writeVectors.ts [--snapshot FOLDER --decimals N --out FILE]
 *   Without options, it writes `fixtures/contracts`. With them, it writes a proof of every value of a snapshot of any dataset, for
 *   `WATTFEED_VECTORS=FILE cargo test -p wattfeed`.
 */
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { encodeHex } from '@wattfeed/base'
import { type Leaf, openSnapshot, type Snapshot } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { encodePeriod } from '@wattfeed/eia'
import { ContractProofError } from 'wattfeed/series'
import { encodeContractProof } from '../../../packages/wattfeed/src/series/encodeContractProof.ts'
import type { ContractCase } from './contractCases.ts'
import { collect, inventedCases, type Mutant, mutantsOf, type Vectors } from './contractVectors.ts'

/** How many mutants the fixtures have. */
export const MUTANTS = 10_000

const ORIGIN = 'Invented by tests/wattfeed/contracts/writeVectors.ts: no value is of EIA.'

/** The cases of the fixtures. */
export const createVectors = (): Vectors => collect(ORIGIN, inventedCases())

/** The first mutants of these cases, as lines. */
export function formatMutants(vectors: Vectors, count: number): string {
  const mutants: Mutant[] = []
  for (const mutant of mutantsOf(vectors)) {
    if (mutants.length === count) break
    mutants.push(mutant)
  }
  return mutants.map((mutant) => `${mutant.join('\t')}\n`).join('')
}

/** How many values of a snapshot are on one line. */
const LINE_VALUES = 2_000

async function* casesOfSnapshot(
  snapshot: Snapshot,
  { from, past, decimals }: { from: number; past: number; decimals: number },
): AsyncGenerator<ContractCase> {
  const { size, root: hash, frequency, newestPeriod } = snapshot.manifest
  const root = { hash, size, period: encodePeriod(frequency, newestPeriod) }
  for (let index = from; index < Math.min(past, size); index++) {
    const leaf = await snapshot.leafAt(index)
    const next = index + 1 < size ? await snapshot.leafAt(index + 1) : null
    const { route, column, facets, unit } = leaf
    const pin = { route, frequency, column, facets, unit, decimals }
    const proofOf = async (following: Leaf | null): Promise<Uint8Array> => {
      const run = { first: index, past: index + (following === null ? 1 : 2) }
      const hashes = (await snapshot.proveRun(run)).hashes.map((each) => encodeHex(each))
      return encodeContractProof({ index, leaf, next: following, hashes, unit })
    }
    try {
      const alone = await proofOf(null)
      yield { pin, root, question: { statement: 'value_of', period: leaf.period }, proof: alone }
      const question = { statement: 'newest_value', period: null } as const
      yield { pin, root, question, proof: await proofOf(next) }
    } catch (error) {
      if (!(error instanceof ContractProofError)) throw error
      console.warn(`leaf ${index}: ${error.message}`)
    }
  }
}

async function writeSnapshotVectors(folder: string, decimals: number, file: string): Promise<void> {
  const snapshot = await openSnapshot(folderFiles(folder))
  if (snapshot === null) throw new Error(`${folder} has no manifest.json: name the folder of one root`)
  const out = createWriteStream(file)
  for (let from = 0; from < snapshot.manifest.size; from += LINE_VALUES) {
    const cases: ContractCase[] = []
    for await (const each of casesOfSnapshot(snapshot, { from, past: from + LINE_VALUES, decimals }))
      cases.push(each)
    out.write(`${JSON.stringify(collect(folder, cases))}\n`)
  }
  out.end()
  await finished(out)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      snapshot: { type: 'string' },
      decimals: { type: 'string', default: '6' },
      out: { type: 'string', default: 'vectors.jsonl' },
    },
  })
  if (values.snapshot !== undefined)
    await writeSnapshotVectors(values.snapshot, Number(values.decimals), values.out)
  else {
    const vectors = createVectors()
    await Bun.write('fixtures/contracts/series-proofs.jsonl', `${JSON.stringify(vectors)}\n`)
    await Bun.write('fixtures/contracts/series-mutants.tsv', formatMutants(vectors, MUTANTS))
  }
}
