import { beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import {
  checkRange,
  checkRun,
  encodeKey,
  type Leaf,
  type RangeEvidence,
  readRange,
  type SeriesRange,
} from '@wattfeed/dataset'
import { expectedOf, liesAbout, type RangeTree } from '@wattfeed/dataset/testing/rangeCases'
import { createFolder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { hasPython, openPython } from './python.ts'

const RANGES = IS_SOAK ? 1_000 : 100
const LIES = IS_SOAK ? 10_000 : 1_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const random = createRandom(1)
const below = (limit: number): number => Math.floor(random() * limit)
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T

/** A claim about a range of a tree, and the values that it must prove; null for a lie. */
interface Claim {
  name: string
  range: SeriesRange
  root: string
  size: number
  evidence: RangeEvidence
  values: Values | null
}

type Values = [period: string, value: string | null, unit: string | null][]

const MONTHS = Array.from(
  { length: 120 },
  (_, at) => `${2017 + Math.floor(at / 12)}-${String(1 + (at % 12)).padStart(2, '0')}`,
)
const STATES = [null, 'AK', 'CA', 'CAL', 'TX', 'US']
const SECTORS = ['ALL', 'COM', 'IND', 'RES']

const seriesOf = (stateid: string | null, sectorid: string) => ({
  ...{ route: 'electricity/retail-sales', frequency: 'monthly', column: 'price' },
  facets: { stateid, sectorid },
})

/** Invented leaves: each series lacks some months, and one sector of each state is missing. */
const leaves = STATES.flatMap((state, number) =>
  SECTORS.filter((_, at) => at !== number % SECTORS.length).flatMap((sector) =>
    MONTHS.filter(() => below(5) > 0).map((period): Leaf => {
      const value = pick([null, 'w', `${below(3_000) / 100}`, '\u00e9\ud800'])
      return { ...seriesOf(state, sector), period, value, unit: pick([null, 'cents', 'cents', 'MWh\u00b2']) }
    }),
  ),
).sort((a, b) => Buffer.compare(encodeKey(a), encodeKey(b)))

function anyRange(): SeriesRange {
  const [first, last] = [below(MONTHS.length), below(MONTHS.length)].sort((a, b) => a - b)
  return {
    ...seriesOf(pick(STATES), pick(SECTORS)),
    period_from: below(3) === 0 ? null : (MONTHS[first ?? 0] ?? null),
    period_to: below(3) === 0 ? null : (MONTHS[last ?? 0] ?? null),
    order: pick(['asc', 'desc']),
    limit: below(2) === 0 ? null : 1 + below(30),
  }
}

const claims: Claim[] = []

beforeAll(async () => {
  using folder = createFolder('in memory')
  const { snapshot, manifest } = await writeSnapshot(folder.path, leaves)
  const tree = { root: Uint8Array.fromHex(manifest.root), size: manifest.size }
  const proofs = await Promise.all(leaves.map((_, at) => snapshot.prove(at)))
  const texts: RangeTree = {
    texts: proofs.map(({ leaf }) => leaf),
    hashesBeside: async (first, past) =>
      (await snapshot.proveRun({ first, past })).hashes.map((hash) => hash.toHex()),
  }
  let lies = 0
  for (let number = 0; number < RANGES; number++) {
    const range = anyRange()
    const { evidence } = await readRange(snapshot, range, tree, 5_000)
    const values = expectedOf(leaves, range).map(({ period, value, unit }): Values[number] => [
      period,
      value,
      unit,
    ])
    const claim = { range, root: manifest.root, size: manifest.size }
    claims.push({ ...claim, name: `range ${number}`, evidence, values })
    if (lies >= LIES) continue
    const told = (await liesAbout(evidence, range, texts)).slice(0, LIES - lies)
    lies += told.length
    claims.push(
      ...told.map((lie) => ({ ...claim, ...lie, name: `range ${number}: ${lie.name}`, values: null })),
    )
  }
})

/** What the library says about a claim: its values, or null if it is refuted. */
function valuesOf({ range, root: hash, size, evidence }: Claim): Values | null {
  try {
    const run = checkRun(evidence, range, { root: Uint8Array.fromHex(hash), size })
    checkRange(run, range)
    return run.leaves.map(({ period, value, unit }) => [period, value, unit])
  } catch {
    return null
  }
}

describe(`${RANGES} random ranges, and ${LIES} lies about them`, () => {
  test('default: the library proves the values of the rows, and no lie', () => {
    expect(claims.filter(({ values }) => values !== null)).toHaveLength(RANGES)
    expect(claims.filter(({ values }) => values === null)).toHaveLength(LIES)
    for (const claim of claims) expect([claim.name, valuesOf(claim)]).toEqual([claim.name, claim.values])
  })

  test.skipIf(!hasPython)('default: so does the verifier in Python', async () => {
    await using python = await openPython()
    const input = claims.map((claim) => `${JSON.stringify(claim)}\n`).join('')
    const { exitCode, stdout, stderr } = await python.run(
      [`${root}/tests/python/range_proofs.py`, `${root}/clients/python/src`],
      input,
    )
    expect([exitCode, stderr]).toEqual([0, ''])
    const found = Bun.JSONL.parse(stdout) as (Values | null)[]
    expect(found).toHaveLength(claims.length)
    for (const [at, { name, values }] of claims.entries()) expect([name, found[at]]).toEqual([name, values])
  })
})
