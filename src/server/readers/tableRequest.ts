import { hash } from 'node:crypto'
import { type StaticDecode, type TObject, Type } from '@sinclair/typebox'
import type { RootAt } from 'wattfeed/internal'
import { tablePairs } from '../../web/site/tablePath.ts'
import { type FacetLists, QueryError } from '../http/strictQuery.ts'
import { assertNoRoot, rootAtOf, rootParameters } from './rootParameters.ts'

/** What tells tables apart. */
type Asked = Omit<TableRequest, 'at' | 'cursor' | 'offset'>

export type TableFormat = 'json' | 'csv' | 'parquet'

/** Maximum number of rows of a page. */
const MAX_ROWS = 5_000

/** Number of digits of a root that a cursor has. */
const ROOT_DIGITS = 16

const table = '/v1/series/table'

export const tablePaths = { json: table, csv: `${table}.csv`, parquet: `${table}.parquet` } as const

const text = (description: string, example: string) =>
  Type.String({ minLength: 1, pattern: '^[^\\0]+$', error: 'a text', description, examples: [example] })

/** What a table takes besides `facet.<id>`. */
export const tableParameters = {
  route: text("EIA's route below /v2/.", 'electricity/retail-sales'),
  frequency: text("EIA's frequency.", 'monthly'),
  column: Type.Optional(
    Type.Array(text("EIA's id of a column.", 'price'), {
      minItems: 1,
      maxItems: 100,
      description:
        "EIA's id of a column; by default all. Repeat the parameter for more. Also pass `facet.<id>`, repeated for several codes, or left out for all.",
    }),
  ),
  period_from: Type.Optional(text("EIA's text of the first period.", '2026-01')),
  period_to: Type.Optional(text("EIA's text of the last period.", '2026-12')),
  sort: Type.Optional(
    Type.Array(
      text('`period`, `column` or the id of a facet; with `-` before it in descending order.', '-period'),
      {
        minItems: 1,
        maxItems: 50,
        description:
          'What rows are ordered by: `period`, `column` or the id of a facet, with `-` before it in descending order. Repeat the parameter for more. What it leaves out follows in the order column, facets, period.',
      },
    ),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ROWS,
      description: 'Maximum number of rows; default 1,000, or 5,000 as a file.',
    }),
  ),
  ...rootParameters,
  cursor: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}\\.[0-9a-f]{16}\\.[0-9]{1,15}\\.[0-9a-f]{8}$',
      error: 'what an earlier page has in `next`',
      description:
        'Where the page starts. `next` of an earlier page has it: it names the attestation and the root.',
    }),
  ),
}

export type TableParameters = StaticDecode<TObject<typeof tableParameters>> & { facets: FacetLists }

/** The place of a page in the table of one root. */
export interface TableCursor {
  /** Index of the attestation. */
  readonly index: number
  /** How its root begins: enough digits to tell those of another chain apart. */
  readonly root: string
  readonly offset: number
}

/** The request of a page. */
export interface TableRequest {
  readonly route: string
  readonly frequency: string
  /** Null for all. */
  readonly columns: readonly string[] | null
  readonly facets: FacetLists
  readonly from: string | null
  readonly to: string | null
  /** As given: with `-` for descending. */
  readonly sort: readonly string[]
  readonly limit: number
  /** The root that answers; null for the newest whose files are there. */
  readonly at: RootAt | null
  /** The cursor that names it, as sent. */
  readonly cursor?: string
  /** How many rows are before the first. */
  readonly offset: number
}

const defaultLimits: Readonly<Record<TableFormat, number>> = { json: 1_000, csv: MAX_ROWS, parquet: MAX_ROWS }

/** @throws {QueryError} if the cursor is of another table. */
export function readTableRequest(parameters: TableParameters, format: TableFormat): TableRequest {
  const {
    route,
    frequency,
    column = null,
    facets,
    period_from,
    period_to,
    sort = [],
    limit,
    cursor,
  } = parameters
  const request = {
    ...{ route, frequency, columns: column, facets, from: period_from ?? null, to: period_to ?? null, sort },
    limit: limit ?? defaultLimits[format],
  }
  if (cursor === undefined) return { ...request, at: rootAtOf(parameters), offset: 0 }
  assertNoRoot(parameters)
  const { offset, ...at } = parseCursor(cursor, request)
  return { ...request, at, cursor, offset }
}

function parseCursor(cursor: string, request: Asked): TableCursor {
  const [index = '', root = '', offset = '', digest] = cursor.split('.')
  if (digest !== digestOf(request))
    throw new QueryError('cursor', cursor, 'it is of a table with other parameters; only limit may change')
  return { index: Number(index), root, offset: Number(offset) }
}

/** Tells tables apart, so that a cursor is not used for another one. */
const digestOf = ({ route, frequency, columns, facets, from, to, sort }: Asked): string =>
  hash(
    'sha256',
    JSON.stringify([route, frequency, columns, Object.entries(facets).sort(), from, to, sort]),
  ).slice(0, 8)

/** Formats the path of another page of the same table. */
export function formatTablePath(request: TableRequest, cursor: TableCursor, format: TableFormat): string {
  const pairs: [name: string, text: string][] = [
    ...tablePairs({ ...request, columns: request.columns ?? [] }),
    ['limit', String(request.limit)],
    ['cursor', `${cursor.index}.${cursor.root.slice(0, ROOT_DIGITS)}.${cursor.offset}.${digestOf(request)}`],
  ]
  return `${tablePaths[format]}?${new URLSearchParams(pairs)}`
}
