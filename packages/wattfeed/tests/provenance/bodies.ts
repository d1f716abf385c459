import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodePeriod, scaleDecimal } from '@wattfeed/eia'
import type * as library from 'wattfeed/provenance'
import type { Recipe } from '../../src/provenance/recipe.ts'

/** A row of a body, and an honest agent's attestation of it; plain JSON, for other runtimes. */
export interface Case {
  name: string
  body: string
  recipe: Recipe
  decimals: number
  attested: { period: number; amount: string; source_hash: string }
}

/** EIA's bodies: those in `fixtures`, which we wrote, and recorded ones, if they are next to the project. */
function readBodies(): { name: string; route: string; body: string }[] {
  const fixtures = join(import.meta.dir, '../../../../fixtures/eia')
  const written = readdirSync(fixtures).map((name) => {
    const { route, data } = JSON.parse(readFileSync(join(fixtures, name), 'utf8'))
    return { name, route, body: JSON.stringify(data) }
  })
  return [...written, ...readRecorded()]
}

const recordings = join(import.meta.dir, '../../../../../shared/upstream')
export const hasRecordings = existsSync(recordings)
if (!hasRecordings) console.warn('skipped: recorded bodies of EIA, because ../shared/upstream does not exist')

function readRecorded(): { name: string; route: string; body: string }[] {
  if (!hasRecordings) return []
  const index = readFileSync(join(recordings, 'INDEX.tsv'), 'utf8').trimEnd().split('\n').slice(1)
  return index.flatMap((line) => {
    const [name = '', kind, , request = ''] = line.split('\t')
    const [, route] = /^\/v2\/(.+?)\/data/.exec(request) ?? []
    if (kind !== 'data' || route === undefined) return []
    return [{ name, route, body: readFileSync(join(recordings, name), 'utf8') }]
  })
}

type Row = Record<string, string | null>

/** One case for the first row of each body, with every text that is no value as a facet. */
export function createCases(): Case[] {
  return readBodies().flatMap(({ name, route, body }) => {
    const { response } = JSON.parse(body) as { response: { frequency?: string; data: Row[] } }
    const [row] = response.data
    if (row === undefined) return []
    const column = Object.keys(row).find(
      (key) => key !== 'period' && /^\d*\.?\d+$/.test(row[key] ?? '') && isColumn(key, row),
    )
    if (column === undefined) throw new Error(`${name} has no row with a value`)
    return [createCase({ name, route, body }, { row, column, frequency: response.frequency ?? 'monthly' })]
  })
}

const isColumn = (key: string, row: Row): boolean =>
  `${key}-units` in row || key === 'value' || key === 'price'

function createCase(
  { name, route, body }: { name: string; route: string; body: string },
  { row, column, frequency }: { row: Row; column: string; frequency: string },
): Case {
  const others = Object.entries(row).filter(
    ([key]) => key !== 'period' && !/unit|value|^generation|^consumption/.test(key),
  )
  const facets = Object.fromEntries(
    others.flatMap(([key, text]) => (text === null || isColumn(key, row) ? [] : [[key, text]])),
  )
  const unit = row.units ?? row[`${column}-units`] ?? null
  const { period = '' } = row
  const value = row[column] ?? ''
  // As many as the longest value has: the text of a value that the chain cuts cannot be told from the amount.
  const decimals = 40
  // Computed separately here, so that nothing is compared with itself.
  const pairs = Object.entries(facets).sort(([a], [b]) => (a < b ? -1 : 1))
  const hashed = { route, frequency, facets: pairs, period, value, unit: unit ?? 'the feed’s unit' }
  const source_hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(hashed)).digest('hex').slice(0, 32)
  const amount = scaleDecimal(value, decimals).toString()
  return {
    name,
    body,
    recipe: { route, frequency, column, facets, unit },
    decimals,
    attested: { period: encodePeriod(frequency, period ?? ''), amount, source_hash },
  }
}

/** Rechecks each case as it is, and with its value changed. Runs in every runtime: it closes over nothing. */
export function recheckCases(
  wattfeed: typeof library,
  cases: readonly Case[],
): [name: string, string, string][] {
  return cases.map(({ name, body, recipe, decimals, attested }) => {
    const { route, frequency } = recipe
    const feed = { decimals, unit: 'the feed’s unit', route, frequency }
    const given = { ...attested, amount: BigInt(attested.amount) }
    const [row] = wattfeed.parseEiaRows(body, recipe, attested.period)
    const check = (value: string | undefined) =>
      wattfeed.recheck({
        feed,
        recipe,
        attested: given,
        rows: row === undefined ? [] : [{ ...row, value: value ?? row.value }],
      }).verdict
    return [name, check(undefined), check(`1${row?.value}`)]
  })
}
