import { Type } from '@sinclair/typebox'
import type { SnapshotFiles } from '@wattfeed/dataset'
import { type EiaParameters, envelopeOf, MAX_X_PARAMS, parseEiaParameters } from '@wattfeed/eia/internal'
import { Elysia } from 'elysia'
import type { Snapshot } from 'wattfeed'
import type { RootAt } from 'wattfeed/internal'
import { momentParameter } from '../../runtime/settings/moment.ts'
import { hidden } from '../http/apiDocs.ts'
import { urlPath, urlQuery } from '../http/paths.ts'
import { redactEiaKey } from '../http/redactEiaKey.ts'
import { strictParams } from '../http/strictQuery.ts'
import type { AttestedTables } from '../readers/attestedTables.ts'
import { DatasetsUnsetError } from '../readers/seriesErrors.ts'
import type { Server } from '../server.ts'
import { answerData } from './answerData.ts'
import { answerFacet, answerFacets, answerRoute } from './answerRoute.ts'
import { answerSeriesId } from './answerSeriesId.ts'
import { EiaHeaderError, EiaRouteError } from './eiaErrors.ts'
import { EIA_PATH } from './eiaPath.ts'
import { EiaReader } from './eiaReader.ts'
import type { EiaResponse } from './eiaResponse.ts'

const params = strictParams({
  date: momentParameter('The newest root that was attested up to this time answers, and no other'),
  '*': Type.Optional(Type.String()),
})

interface Context {
  request: Request
  set: { headers: Record<string, string | number> }
}

/** `/eia/v2/…`: EIA's API from attested snapshots, and `/eia/as-of/{date}/v2/…`: the same as of a day. Without tables, it is off. */
export function eia(
  { answerAt }: Pick<Server, 'answerAt'>,
  tables: AttestedTables | null,
  places: readonly SnapshotFiles[],
) {
  const reader = tables && new EiaReader(tables, places)
  const answer = ({ request, set }: Context, at: RootAt | null) => {
    if (reader === null) throw new DatasetsUnsetError()
    const asked = readRequest(request, at)
    return answerAt(set, async (snapshot) => {
      const { response, apiVersion, headers } = await answerRequest(reader, snapshot, asked)
      Object.assign(set.headers, { ...headers, vary: 'Accept-Encoding, X-Params' })
      return { response, ...envelopeOf(asked.path, asked.parameters, apiVersion ?? undefined) }
    })
  }
  const newest = (context: Context) => answer(context, null)
  const asOf = (context: Context & { params: { date: number } }) =>
    answer(context, { asOf: context.params.date })
  return (
    new Elysia({ name: 'eia' })
      // The error for a malformed date shows it.
      .onTransform(({ params }: { params?: Record<string, string> }) => {
        if (params?.date !== undefined) params.date = redactEiaKey(params.date)
      })
      // For a person who opens the base URL of clients that add the version.
      .get(EIA_PATH, ({ redirect }) => redirect(`${EIA_PATH}v2`), hidden)
      .get(`${EIA_PATH}v2`, newest, hidden)
      .get(`${EIA_PATH}v2/*`, newest, hidden)
      .get(`${EIA_PATH}as-of/:date/v2`, asOf, { params, ...hidden })
      .get(`${EIA_PATH}as-of/:date/v2/*`, asOf, { params, ...hidden })
  )
}

interface EiaRequest {
  /** Path before the routes. */
  readonly base: string
  /** Path below it, without slashes at its ends. */
  readonly path: string
  readonly at: RootAt | null
  /** Without the key. */
  readonly parameters: EiaParameters
}

/** @throws {EiaHeaderError} */
function readRequest({ url, headers }: Request, at: RootAt | null): EiaRequest {
  const [, base = '', below = ''] = /^(.*?\/v2)(?:\/(.*))?$/.exec(urlPath(url)) ?? []
  const query = new URLSearchParams(urlQuery(url))
  const found = parseEiaParameters(query, headers.get('x-params'), redactEiaKey)
  if (found === null) throw new EiaHeaderError({ maxLength: MAX_X_PARAMS })
  const { api_key: _, ...parameters } = found
  const parts = below.split('/').filter((part) => part !== '')
  return { base, path: redactEiaKey(parts.map(decodeURIComponent).join('/')), at, parameters }
}

function answerRequest(
  reader: EiaReader,
  snapshot: Snapshot,
  { base, path, at, parameters }: EiaRequest,
): Promise<EiaResponse> {
  const [, id] = /^seriesid\/(.+)$/s.exec(path) ?? []
  if (id !== undefined) return answerSeriesId(reader, snapshot, { id, asOf: at, base }, parameters)
  const [, route = '', kind, facet] = /^(.*?)(?:\/(data|facet)(?:\/([^/]+))?)?$/s.exec(path) ?? []
  const asked = { route, at }
  if (kind === undefined) return answerRoute(reader, snapshot, asked)
  if (kind === 'facet')
    return facet === undefined
      ? answerFacets(reader, snapshot, asked)
      : answerFacet(reader, snapshot, asked, facet)
  if (facet !== undefined) throw new EiaRouteError({ nearest: null })
  return answerData(reader, snapshot, asked, parameters)
}
