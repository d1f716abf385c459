import type { Leaf } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import { MAX_PAGE_ROWS } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { type EiaParameters, incompleteReturn, lengthOutOfRange } from '@wattfeed/eia/internal'
import type { Snapshot } from 'wattfeed'
import { type EiaQuery, readEiaQuery } from './eiaQuery.ts'
import { dateFormatOf, type EiaReader, type EiaTable, type RouteAsked } from './eiaReader.ts'
import {
  type EiaResponse,
  rootHeaders,
  snapshotWarnings,
  unknownValues,
  warningsMember,
} from './eiaResponse.ts'
import { proofPathOf } from './proofPath.ts'
import { type FoundRows, valueColumnsOf } from './rowFinder.ts'
import { createRowShape, type EiaRow } from './rowShape.ts'

/**
 * Answers `/v2/{route}/data`.
 *
 * @throws {HttpError} in EIA's words for a request that does not fit the dataset.
 * @throws what {@link EiaReader.read} throws.
 */
export async function answerData(
  reader: EiaReader,
  at: Snapshot,
  asked: RouteAsked,
  parameters: EiaParameters,
): Promise<EiaResponse> {
  const frequency = await reader.frequencyOf(at, asked, parameters.frequency)
  const { found, ...byRoot } = await reader.read(
    at,
    { ...asked, frequency, sortedBy: parameters.sort?.map(({ column = '' }) => column) ?? [] },
    async ({ table, ...recorded }) => {
      const query = readEiaQuery(parameters, table)
      const shown = query.columns.length === 0 ? table.manifest.columns : query.columns
      const columns = [...new Set([...shown, ...valueColumnsOf(query.sort)])]
      const { total, rows } = await reader.findRows(table, columns, query)
      const data = await readRows({ table, record: recorded.record }, query, { columns, rows })
      const facets = table.index.facets.map(({ id }) => id)
      return { query, facets, unknown: unknownValues(query.facets, table), recorded, total, data }
    },
  )
  const { query, facets, unknown, recorded, total, data } = found
  const { record } = recorded
  const warnings = [
    ...(query.isTooLong ? [lengthOutOfRange(MAX_PAGE_ROWS)] : []),
    ...(total > MAX_PAGE_ROWS ? [incompleteReturn(MAX_PAGE_ROWS)] : []),
    // Where nothing matches, `total` says so, as at EIA.
    ...(total > 0 ? unknown : []),
    ...snapshotWarnings(recorded, byRoot, asked.at !== null),
  ]
  const response = {
    ...warningsMember(warnings),
    total: String(total),
    dateFormat: dateFormatOf(frequency, record),
    frequency,
    data,
    description: record?.description ?? findDataset(asked.route)?.description ?? '',
  }
  const proof = proofPathOf({ route: asked.route, frequency, facets }, query, { total, index: byRoot.index })
  return { response, apiVersion: record?.apiVersion ?? null, headers: rootHeaders(byRoot, proof) }
}

/** Reads the leaves of rows, and makes EIA's rows of them. */
async function readRows(
  { table, record }: Pick<EiaTable, 'table' | 'record'>,
  { columns: shown }: EiaQuery,
  { columns, rows }: Pick<FoundRows, 'rows'> & { columns: readonly string[] },
): Promise<EiaRow[]> {
  const shape = createRowShape(
    shown,
    table.index.facets.map(({ id }) => id),
    record,
  )
  const places = shown.map((column) => columns.indexOf(column))
  const wanted = rows.map((row) => {
    const leaves = places.map((at) => row[at] ?? -1).filter((leaf) => leaf !== -1)
    // A row that shows no value has its period and facets from any leaf.
    return leaves.length > 0 ? leaves : row.filter((leaf) => leaf !== -1).slice(0, 1)
  })
  const leaves = await readAll(table, wanted)
  return wanted.map((of) =>
    shape(
      new Map(
        Array.from(of, (at) => leaves.get(at))
          .filter((leaf) => leaf !== undefined)
          .map((leaf) => [leaf.column, leaf]),
      ),
    ),
  )
}

function readAll(table: SnapshotTable, wanted: readonly ArrayLike<number>[]): Promise<Map<number, Leaf>> {
  const indices = new Set<number>()
  for (const of of wanted) for (const leaf of Array.from(of)) indices.add(leaf)
  return table.readLeaves([...indices].sort((one, other) => one - other))
}
