import type { EiaNames, EiaRecord } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import { findDataset } from '@wattfeed/eia/catalog'
import { eiaFrequency, findRouteLevel, type RouteText } from '@wattfeed/eia/internal'
import type { Snapshot } from 'wattfeed'
import type { ByRoot } from 'wattfeed/internal'
import type { AttestedDataset } from '../readers/attestedDatasets.ts'
import { assertOptions } from './eiaQuery.ts'
import {
  dateFormatOf,
  type EiaReader,
  frequenciesOf,
  listAttested,
  type Recorded,
  type RouteAsked,
  type RouteRecord,
  rootOf,
  routeError,
} from './eiaReader.ts'
import { type EiaResponse, rootHeaders, snapshotWarnings, warningsMember } from './eiaResponse.ts'
import { recordedLevel } from './recordedLevel.ts'

/** Answers `/v2/{route}`: for a route of datasets its metadata, for a level above what is below. */
export async function answerRoute(reader: EiaReader, at: Snapshot, asked: RouteAsked): Promise<EiaResponse> {
  const attested = await listAttested(at)
  const ofRoute = attested.filter(({ reading }) => reading.route === asked.route)
  return ofRoute.length > 0
    ? answerMetadata(reader, at, asked, ofRoute)
    : answerLevel(reader, asked, attested)
}

/** The levels are those of today's roots, also as of an earlier time. */
async function answerLevel(
  reader: EiaReader,
  { route }: RouteAsked,
  attested: readonly AttestedDataset[],
): Promise<EiaResponse> {
  const routes = attested.map((each) => each.reading.route)
  const level = findRouteLevel(route, routes, (each) => textOf(each)) ?? { id: '', ...textOf(''), routes: [] }
  if (level.routes.length === 0 && route !== '') throw routeError(route, attested)
  const start = route === '' ? '' : `${route}/`
  const nameOf = async (each: string): Promise<RouteText> => {
    const below = attested.find(({ reading }) => each === '' || `${reading.route}/`.startsWith(`${each}/`))
    return textOf(each, below && (await reader.readRouteRecord(rootOf(below))))
  }
  const below = await Promise.all(
    level.routes.map(async ({ id }) => ({ id, ...(await nameOf(`${start}${id}`)) })),
  )
  const response = { ...level, ...(await nameOf(route)), routes: below }
  return { response, apiVersion: null, headers: {} }
}

/** What EIA calls a level or a dataset: without a record, the last part of its route. */
function textOf(route: string, record: RouteRecord | null = null): RouteText {
  const id = route.slice(route.lastIndexOf('/') + 1)
  const dataset = findDataset(route)
  const recorded = dataset === null ? recordedLevel(record?.levels ?? [], route) : record?.metadata
  const { name, description } = Object(recorded)
  return {
    name: stated(name) ?? dataset?.name ?? id,
    description: stated(description) ?? dataset?.description ?? '',
  }
}

/** Many routes have empty texts, and only the level above names them. */
const stated = (text: unknown): string | null => (typeof text === 'string' && text !== '' ? text : null)

async function answerMetadata(
  reader: EiaReader,
  at: Snapshot,
  asked: RouteAsked,
  attested: readonly AttestedDataset[],
): Promise<EiaResponse> {
  const frequency = await reader.frequencyOf(at, asked)
  const { found, ...byRoot } = await reader.read(
    at,
    { ...asked, frequency },
    async ({ table, ...recorded }) => ({
      metadata: metadataOf(table, recorded.record, frequenciesOf(attested)),
      recorded,
    }),
  )
  return answered(found.metadata, found.recorded, byRoot, asked)
}

const answered = (response: object, recorded: Recorded, byRoot: ByRoot, { at }: RouteAsked): EiaResponse => ({
  response: { ...warningsMember(snapshotWarnings(recorded, byRoot, at !== null)), ...response },
  apiVersion: recorded.record?.apiVersion ?? null,
  headers: rootHeaders(byRoot, null),
})

/** EIA's metadata of a route, with the columns, facets, frequencies and periods that are attested. */
function metadataOf(
  { manifest, index }: SnapshotTable,
  record: EiaRecord | null,
  frequencies: readonly string[],
): object {
  const { route, frequency, columns } = manifest
  // Warnings are of one answer: the agent may have read a server such as this.
  const { warnings: _, ...recorded } = record?.metadata ?? {}
  const facets = index.facets.map(({ id }) => id)
  return {
    id: route.slice(route.lastIndexOf('/') + 1),
    ...textOf(route, record),
    ...recorded,
    frequency: pick(recorded.frequency, frequencies, eiaFrequency),
    facets: pick(recorded.facets, facets, (id) => ({ id, description: id })),
    data: pickMembers(recorded.data, columns),
    startPeriod: index.periods[0],
    endPeriod: index.periods.at(-1),
    defaultDateFormat: dateFormatOf(frequency, record),
    defaultFrequency: frequency,
  }
}

/** Returns those of a recorded list that are attested, in EIA's order, and after them what is not in it. */
function pick(recorded: unknown, ids: readonly string[], make: (id: string) => object): object[] {
  const known = (Array.isArray(recorded) ? recorded : []).map((each): { id?: unknown } => Object(each))
  const kept = known.filter(({ id }) => ids.some((each) => each === id))
  return [...kept, ...ids.filter((id) => !kept.some((each) => each.id === id)).map(make)]
}

/** The same for an object of columns. */
function pickMembers(recorded: unknown, columns: readonly string[]): object {
  const kept = Object.entries(Object(recorded)).filter(([column]) => columns.includes(column))
  const others = columns.filter((column) => !kept.some(([each]) => each === column))
  return Object.fromEntries([...kept, ...others.map((column) => [column, { alias: column }] as const)])
}

/** Answers `/v2/{route}/facet`. */
export async function answerFacets(reader: EiaReader, at: Snapshot, asked: RouteAsked): Promise<EiaResponse> {
  const frequency = await reader.frequencyOf(at, asked)
  const { found, ...byRoot } = await reader.read(
    at,
    { ...asked, frequency },
    async ({ table, ...recorded }) => ({
      ids: table.index.facets.map(({ id }) => id),
      recorded,
    }),
  )
  const response = { totalFacetOptions: found.ids.length, facetOptions: found.ids }
  return answered(response, found.recorded, byRoot, asked)
}

/**
 * Answers `/v2/{route}/facet/{id}` with the codes that the snapshot has.
 *
 * @throws {EiaOptionError} if the dataset does not have the facet.
 */
export async function answerFacet(
  reader: EiaReader,
  at: Snapshot,
  asked: RouteAsked,
  facet: string,
): Promise<EiaResponse> {
  const frequency = await reader.frequencyOf(at, asked)
  const { found, ...byRoot } = await reader.read(
    at,
    { ...asked, frequency },
    async ({ table, ...recorded }) => {
      const ids = table.index.facets.map(({ id }) => id)
      assertOptions('facet', [facet], ids, findDataset(asked.route)?.facets)
      return { facets: namedCodes(table, facet, recorded.record), recorded }
    },
  )
  const response = { totalFacets: found.facets.length, facets: found.facets }
  return answered(response, found.recorded, byRoot, asked)
}

function namedCodes({ index }: SnapshotTable, facet: string, record: EiaRecord | null) {
  const names = namesOf(facet, record)
  const codes = index.facets.find(({ id }) => id === facet)?.codes ?? []
  return codes.filter((id) => id !== null).map((id) => ({ id, name: names?.texts.get(id) ?? id }))
}

/** The member of rows that names the codes of a facet. A facet may determine other texts, too. */
function namesOf(facet: string, record: EiaRecord | null): EiaNames | undefined {
  const ofFacet = record?.names?.filter((each) => each.facet === facet) ?? []
  return ofFacet.find(({ member }) => /name|description/i.test(member)) ?? ofFacet[0]
}
