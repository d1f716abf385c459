import { expect, test } from 'bun:test'
import type { Leaf } from '@wattfeed/dataset'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import fc from 'fast-check'
import { inventDataset } from '../series/inventedDataset.ts'
import { ask } from '../testApp.ts'
import { apiOf, RETAIL } from './inventedApi.ts'

const seed = seedOf({ name: 'EIA_SEED', file: import.meta.path, usual: 64 })

const RUNS = IS_SOAK ? 5_000 : 300

const COLUMNS = ['price', 'sales', 'customers']

const FACETS = ['sectorid', 'stateid']

const CODES: Readonly<Record<string, (string | null)[]>> = {
  sectorid: ['ALL', 'RES', null],
  stateid: ['AK', 'CA', 'é', 'ny'],
}

const PERIODS = ['2024-11', '2024-12', '2025-01', '2025-02', '2025-04', '2026-01']

const VALUES = ['1', '-2.5', '.306', '10', '9', '1e3', '9.00', 'w', 'NA', null, '']

/** A leaf for two in three combinations. */
function inventLeaves(random: () => number): Leaf[] {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const keys = COLUMNS.flatMap((column) =>
    (CODES.sectorid ?? []).flatMap((sectorid) =>
      (CODES.stateid ?? []).flatMap((stateid) =>
        PERIODS.map((period) => ({ column, facets: { sectorid, stateid }, period })),
      ),
    ),
  )
  return keys
    .filter(() => random() < 2 / 3)
    .map((key) => ({
      ...{ route: RETAIL, frequency: 'monthly', unit: random() < 0.1 ? null : `unit of ${key.column}` },
      ...{ ...key, value: pick(VALUES) },
    }))
}

interface Asked {
  readonly data: string[]
  readonly facets: Record<string, string[]>
  readonly start?: string | undefined
  readonly end?: string | undefined
  readonly sort: { column: string; direction: string }[]
  readonly offset?: string | undefined
  readonly length?: string | undefined
}

const knownCodes = (id: string) =>
  fc.array(fc.constantFrom(...(CODES[id] ?? []).map((code) => code ?? ''), 'XX'), {
    minLength: 1,
    maxLength: 4,
  })

const bound = fc.option(
  fc.constantFrom(...PERIODS, '2025', '2024', '2025-Q2', '2025-01-01', '2025-01-02', '2025-02-01T00', '2030'),
  { nil: undefined },
)

const requests: fc.Arbitrary<Asked> = fc.record({
  data: fc.array(fc.constantFrom(...COLUMNS), { maxLength: 4 }),
  facets: fc.record(
    { sectorid: knownCodes('sectorid'), stateid: knownCodes('stateid') },
    { requiredKeys: [] },
  ),
  start: bound,
  end: bound,
  sort: fc.array(
    fc.record({
      column: fc.constantFrom('period', ...FACETS, ...COLUMNS),
      direction: fc.constantFrom('asc', 'desc', 'DESC'),
    }),
    { maxLength: 4 },
  ),
  offset: fc.option(fc.nat(60).map(String), { nil: undefined }),
  length: fc.option(fc.constantFrom('0', '1', '7', '5000', '5001', '99999999999999999999'), {
    nil: undefined,
  }),
})

/** Parameters that mean nothing. */
const noise = fc.array(
  fc.tuple(
    fc.constantFrom(
      'api_key',
      'facet[stateid][]',
      'Data[]',
      'out',
      'sort',
      'limit',
      '__proto__',
      'starts',
      '',
    ),
    fc.string({ maxLength: 8 }),
  ),
  { maxLength: 4 },
)

/** Ways to write a request. */
const writings = fc.record({
  isNumbered: fc.boolean(),
  inHeader: fc.boolean(),
  noise,
  order: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
})

type Written = typeof writings extends fc.Arbitrary<infer T> ? T : never

function write(asked: Asked, { isNumbered, inHeader, noise, order }: Written) {
  const index = (at: number) => (isNumbered ? String(at) : '')
  const { data, facets, sort, ...plain } = asked
  const pairs = [
    ...Object.entries(plain).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
    // The order of a list matters.
    ...sort.flatMap(({ column, direction }, at) => [
      [`sort[${at}][column]`, column],
      [`sort[${at}][direction]`, direction],
    ]),
    ...data.map((id, at) => [`data[${index(at)}]`, id]),
    ...Object.entries(facets).flatMap(([id, codes]) =>
      codes.map((code, at) => [`facets[${id}][${index(at)}]`, code]),
    ),
  ] as [string, string][]
  const shuffled = [...(inHeader ? [] : pairs), ...noise].toSorted(
    (one, other) => (order[one[0].length] ?? 0) - (order[other[0].length] ?? 0),
  )
  const query = new URLSearchParams(shuffled)
  return { query, headers: inHeader ? { 'x-params': asciiOf(asked) } : {} }
}

/** A header has no other characters. */
const asciiOf = (asked: Asked): string =>
  JSON.stringify(asked).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const none = { kind: 2, number: 0, text: '' }

const rankOf = (value: string | null | undefined) => {
  if (value === undefined || value === null) return none
  return value === '' || Number.isNaN(Number(value))
    ? { kind: 1, number: 0, text: value }
    : { kind: 0, number: Number(value), text: '' }
}

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

interface ModelRow {
  readonly period: string
  readonly facets: Readonly<Record<string, string | null>>
  readonly leaves: Map<string, Leaf>
}

/** The moment of a text, as EIA's dates have it. */
function dateOf(text: string): number {
  const [, year = '', quarter = ''] = /^(\d{4})-Q(\d)$/.exec(text) ?? []
  if (quarter !== '') return Date.UTC(Number(year), 3 * Number(quarter) - 3)
  return Date.parse(text.includes('T') ? `${text}:00Z` : text)
}

/** All rows of a request, in order: naively. */
function modelOf(leaves: readonly Leaf[], { data, facets, start, end, sort }: Asked): ModelRow[] {
  const sorted = sort.map(({ column }) => column).filter((column) => COLUMNS.includes(column))
  const shown = data.length === 0 ? COLUMNS : data
  const used = [...shown, ...sorted]
  const rows = new Map<string, ModelRow>()
  for (const leaf of leaves) {
    const isIn =
      used.includes(leaf.column) &&
      Object.entries(facets).every(([id, codes]) => codes.includes(leaf.facets[id] ?? '')) &&
      (start === undefined || dateOf(leaf.period) >= dateOf(start)) &&
      (end === undefined || dateOf(leaf.period) <= dateOf(end))
    if (!isIn) continue
    const key = JSON.stringify([leaf.period, leaf.facets])
    const row = rows.get(key) ?? { period: leaf.period, facets: leaf.facets, leaves: new Map() }
    row.leaves.set(leaf.column, leaf)
    rows.set(key, row)
  }
  const rest = [
    { column: 'period', direction: 'desc' },
    ...FACETS.map((column) => ({ column, direction: 'asc' })),
  ]
  const asked = [...rows.values()].filter((row) => shown.some((column) => row.leaves.has(column)))
  return asked.sort((one, other) => {
    for (const { column, direction } of [...sort, ...rest]) {
      const sign = direction.toLowerCase() === 'desc' ? -1 : 1
      if (COLUMNS.includes(column)) {
        const [a, b] = [one, other].map((row) => rankOf(row.leaves.get(column)?.value)) as [
          typeof none,
          typeof none,
        ]
        const difference =
          a.kind - b.kind || sign * (a.number - b.number || (a.text < b.text ? -1 : Number(a.text > b.text)))
        if (difference !== 0) return difference
        continue
      }
      const textOf = (row: ModelRow) => (column === 'period' ? row.period : (row.facets[column] ?? ''))
      const difference = byBytes(textOf(one), textOf(other))
      if (difference !== 0) return sign * difference
    }
    return 0
  })
}

const rowOf = ({ period, facets, leaves }: ModelRow, data: readonly string[]) => ({
  period,
  ...facets,
  ...Object.fromEntries(
    data.flatMap((column) => {
      const leaf = leaves.get(column)
      return leaf === undefined
        ? []
        : [
            [column, leaf.value],
            [`${column}-units`, leaf.unit],
          ]
    }),
  ),
})

test('behavior: any request has the rows, the order and the total of a naive model', async () => {
  const leaves = inventLeaves(createRandom(seed))
  using dataset = await inventDataset([leaves])
  const app = apiOf([dataset])
  let count = 0
  await fc.assert(
    fc.asyncProperty(requests, writings, async (asked, writing) => {
      const { query, headers } = write(asked, writing)
      const response = await ask(app, `/eia/v2/${RETAIL}/data/?${query}`, { headers })
      const body = Object(await response.json())
      expect([response.status, body.error]).toEqual([200, undefined])
      const all = modelOf(leaves, asked)
      const offset = Number(asked.offset ?? 0)
      const page = all.slice(offset, offset + Math.min(5_000, Number(asked.length ?? 5_000)))
      expect(body.response.total).toBe(String(all.length))
      expect(body.response.data).toEqual(page.map((row) => rowOf(row, asked.data)))
      count += page.length
    }),
    { numRuns: RUNS, seed },
  )
  expect(count).toBeGreaterThan(RUNS)
})

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '__proto__',
    'constructor',
    '%',
    '%ff',
    '../..',
    "';--",
    '9'.repeat(400),
    '𝒳',
    '\ud800',
    'NaN',
  ),
  fc.string({ maxLength: 20, unit: 'binary' }),
)

const hostileName = fc.oneof(
  fc.constantFrom(
    ...[
      'data',
      'data[]',
      'data[0]',
      'data[999999999]',
      'data[__proto__]',
      'data[0][1]',
      'frequency',
      'start',
      'end',
    ],
    ...[
      'facets[stateid][]',
      'facets[]',
      'facets[__proto__][]',
      'facets[constructor][]',
      'facets',
      'facets[a][b][c]',
    ],
    ...[
      'sort[0][column]',
      'sort[-1][column]',
      'sort[x][direction]',
      'sort[0]',
      'sort[][][]',
      'offset',
      'length',
    ],
  ),
  hostileText,
)

const hostilePaths = fc.oneof(
  fc.constantFrom(
    ...[
      `/eia/v2/${RETAIL}/data`,
      `/eia/v2/${RETAIL}`,
      `/eia/v2/${RETAIL}/facet/stateid`,
      `/eia/v2/${RETAIL}/facet/`,
    ],
    ...[
      '/eia/v2',
      '/eia/v2//',
      '/eia/v2/data',
      '/eia/v2/facet',
      '/eia/v2/facet/x',
      '/eia/v2/seriesid',
      '/eia/v2/seriesid/',
    ],
    ...[
      `/eia/v2/${RETAIL}/data/data`,
      `/eia/v2//electricity//retail-sales//data//`,
      '/eia/v2/seriesid/ELEC.A.B.M',
    ],
    ...[
      '/eia/as-of/1/v2',
      '/eia/as-of/2026-11-21/v2/',
      '/eia/as-of//v2',
      `/eia/as-of/9999999999999/v2/${RETAIL}/data`,
    ],
  ),
  fc
    .array(hostileText, { maxLength: 4 })
    .map((parts) => `/eia/v2/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`),
)

const hostileHeader = fc.option(
  fc.oneof(
    fc.json(),
    fc
      .record({ data: fc.jsonValue(), facets: fc.jsonValue(), sort: fc.jsonValue(), start: fc.jsonValue() })
      .map((value) => JSON.stringify(value)),
    fc.constantFrom('[', '['.repeat(5_000), 'null', '{"facets":{"__proto__":["x"]}}', 'x'.repeat(10_000)),
  ),
  { nil: null },
)

test('behavior: no request is answered with a fault of the server, and every error has EIA’s form', async () => {
  const leaves = inventLeaves(createRandom(seed))
  using dataset = await inventDataset([leaves])
  const app = apiOf([dataset])
  const statuses = new Map<number, number>()
  const pairs = fc.array(fc.tuple(hostileName, hostileText), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(hostilePaths, pairs, hostileHeader, fc.boolean(), async (path, named, header, isRaw) => {
      const query = isRaw
        ? named.map((pair) => pair.map((text) => encodeURI(text.toWellFormed())).join('=')).join('&')
        : new URLSearchParams(named)
      // A header has no other characters.
      const isSendable = header !== null && /^[\x20-\x7e]+$/.test(header)
      const headers = isSendable ? { 'x-params': header } : {}
      const response = await ask(app, `${path}?${query}`, { headers })
      const body = Object(await response.json())
      const { status } = response
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect([200, 400, 404]).toContain(status)
      if (status === 200) expect(body.response).toBeObject()
      else expect(body).toEqual({ error: expect.any(String), code: status })
    }),
    { numRuns: RUNS, seed },
  )
  expect([...statuses.keys()].sort()).toEqual([200, 400, 404])
  expect(statuses.get(200) ?? 0).toBeGreaterThan(RUNS / 40)
})
