import { TableIndexMissingError } from '@wattfeed/dataset/table'
import { type EiaParameters, eiaFrequency } from '@wattfeed/eia/internal'
import type { Snapshot } from 'wattfeed'
import { RootNotFoundError, SnapshotGoneError, SnapshotMissingError } from 'wattfeed/series'
import type { AttestedDataset } from '../readers/attestedDatasets.ts'
import { SnapshotFaultError } from '../readers/seriesErrors.ts'
import { answerData } from './answerData.ts'
import { EiaRouteError, EiaSeriesIdError } from './eiaErrors.ts'
import { type EiaReader, listAttested, type RouteAsked } from './eiaReader.ts'
import type { EiaResponse } from './eiaResponse.ts'

/** The first part of the ids of API version 1, and the routes that have their series now. */
const families: Readonly<Record<string, string>> = {
  AEO: 'aeo',
  COAL: 'coal',
  EBA: 'electricity/rto',
  ELEC: 'electricity',
  EMISS: 'co2-emissions',
  IEO: 'ieo',
  INTL: 'international',
  NG: 'natural-gas',
  NUC_STATUS: 'nuclear-outages',
  PET: 'petroleum',
  PET_IMPORTS: 'crude-oil-imports',
  SEDS: 'seds',
  STEO: 'steo',
  TOTAL: 'total-energy',
}

/** The facets that have such an id. */
const ID_FACETS = ['series', 'seriesId']

/**
 * Answers `/v2/seriesid/{id}`: the rows of an id of API version 1 such as `NG.RNGC1.W`, if a facet of a dataset has it.
 *
 * @param base - path before the routes
 * @throws {EiaSeriesIdError} which gives the request by facets.
 * @throws what {@link EiaReader.read} throws, if a dataset that may have the id cannot be read, and no other has it.
 */
export async function answerSeriesId(
  reader: EiaReader,
  at: Snapshot,
  { id, asOf, base }: { readonly id: string; readonly asOf: RouteAsked['at']; readonly base: string },
  parameters: EiaParameters,
): Promise<EiaResponse> {
  const [, family = '', code = id, letter = ''] = /^([^.]*)\.(.+)\.([^.]+)$/.exec(id) ?? []
  const start = Object.hasOwn(families, family) ? families[family] : undefined
  const attested = await listAttested(at)
  const ofFamily = attested.filter(
    ({ reading }) => start !== undefined && `${reading.route}/`.startsWith(`${start}/`),
  )
  const likely = ofFamily.filter(({ reading }) => eiaFrequency(reading.frequency).query === letter)
  let missing: Error | null = null
  for (const dataset of likely) {
    const facet = ID_FACETS.find((each) => dataset.recipe.facets.includes(each))
    if (facet === undefined) continue
    const { route, frequency } = dataset.reading
    try {
      const has = await reader.read(at, { route, frequency, at: asOf }, async ({ table }) =>
        table.index.facets.some((each) => each.id === facet && each.codes.includes(code)),
      )
      if (!has.found) continue
    } catch (error) {
      if (!isOfDataset(error)) throw error
      missing ??= error
      continue
    }
    const facets = { ...parameters.facets, [facet]: [code] }
    // Such a request names no columns.
    const { data = [...dataset.recipe.columns] } = parameters
    return answerData(reader, at, { route, at: asOf }, { ...parameters, frequency, facets, data })
  }
  if (missing !== null) throw missing
  const [nearest] = [...likely, ...ofFamily, ...attested]
  if (nearest === undefined) throw new EiaRouteError({ nearest: null })
  throw new EiaSeriesIdError({
    id,
    request: requestOf(nearest, likely.includes(nearest) ? code : null, base),
  })
}

const ofDataset = [
  RootNotFoundError,
  SnapshotFaultError,
  SnapshotGoneError,
  SnapshotMissingError,
  TableIndexMissingError,
]

/** Whether an error says that one dataset cannot be read, so that another may still have an id. */
const isOfDataset = (error: unknown): error is Error => ofDataset.some((each) => error instanceof each)

/** The request of rows that most likely has a series. */
function requestOf({ reading, recipe }: AttestedDataset, code: string | null, base: string): string {
  const idFacet = ID_FACETS.find((each) => recipe.facets.includes(each))
  const facets = code !== null && idFacet !== undefined ? [idFacet] : recipe.facets
  const shown = code === null || idFacet === undefined ? '…' : encodeURIComponent(code.slice(0, 100))
  const pinned = facets.map((facet) => `&facets[${facet}][]=${shown}`).join('')
  return `${base}/${reading.route}/data?frequency=${reading.frequency}&data[]=${recipe.columns[0]}${pinned}`
}
