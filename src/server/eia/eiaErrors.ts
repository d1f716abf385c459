import { describeRefusal, type EiaOption } from '@wattfeed/eia/internal'
import { clip } from '../feedTexts.ts'
import { defineHttpError } from '../http/httpError.ts'

/** What EIA's API says of a route that does not exist, with what may have been meant. */
export const EiaRouteError = defineHttpError(
  'EiaRouteError',
  'eia_route',
  (facts: {
    /** The attested route that is spelled most alike; null if there is none. */
    nearest: string | null
  }) =>
    facts.nearest === null ? 'Not found.' : `Not found. The nearest attested route is '${facts.nearest}'.`,
  { status: 404 },
)

/** A route that EIA has, and of which no root is on chain. */
export const EiaNotAttestedError = defineHttpError(
  'EiaNotAttestedError',
  'eia_not_attested',
  ({ route, attested }: { route: string; attested: readonly string[] }) =>
    `Not found. EIA has '${route}', but it is not attested here. ${describeRoutes(attested)}`,
  { status: 404 },
)

const describeRoutes = (routes: readonly string[]): string =>
  routes.length === 0 ? 'No route is.' : `Attested are ${quoted(routes)}.`

/** A frequency, column or facet that the snapshot does not have, in EIA's words. */
export const EiaOptionError = defineHttpError(
  'EiaOptionError',
  'eia_option',
  (facts: {
    option: EiaOption
    given: string
    valid: readonly string[]
    /** Whether EIA has it. */
    isAtEia: boolean
  }) => {
    const { option, given, valid, isAtEia } = facts
    const words = describeRefusal(option, clip(given, MAX_SHOWN), valid)
    return isAtEia ? `${words} EIA has '${given}', but it is not attested here.` : words
  },
  { status: 400 },
)

/** A parameter in a form that cannot be read. */
export const EiaParameterError = defineHttpError(
  'EiaParameterError',
  'eia_parameter',
  ({ name, given, rule }: { name: string; given: string; rule: string }) =>
    `Invalid ${name} '${clip(given, MAX_SHOWN)}' provided. It must be ${rule}.`,
  { status: 400 },
)

/** The header `X-Params` cannot be read. It may have a key, so that no part of it is shown. */
export const EiaHeaderError = defineHttpError(
  'EiaHeaderError',
  'eia_header',
  ({ maxLength }: { maxLength: number }) =>
    `Invalid header X-Params provided. It must be a JSON object of at most ${maxLength} characters with frequency, data, facets, start, end, sort, offset and length.`,
  { status: 400 },
)

/** More rows match than are sorted by the values of a column. */
export const EiaSortError = defineHttpError(
  'EiaSortError',
  'eia_sort',
  ({ columns, total, max }: { columns: readonly string[]; total: number; max: number }) =>
    `${total} rows match, and at most ${max} are sorted by ${quoted(columns)}. Constrain the request with facets, start or end, or sort by period and facets.`,
  { status: 400 },
)

/** An id of API version 1 that this server cannot find. */
export const EiaSeriesIdError = defineHttpError(
  'EiaSeriesIdError',
  'eia_series_id',
  ({ id, request }: { id: string; request: string }) =>
    `There is no series '${clip(id, MAX_SHOWN)}' here. Request its rows by facets: ${request}`,
  { status: 404 },
)

const MAX_SHOWN = 100

const quoted = (texts: readonly string[]): string =>
  new Intl.ListFormat('en').format(texts.map((text) => `'${text}'`))

/** Returns an error of any endpoint as EIA's API writes errors: it has one form for limits of use, and another for all else. */
export const eiaErrorBody = (status: number, message: string): object =>
  status === 429 ? { error: { code: 'OVER_RATE_LIMIT', message } } : { error: message, code: status }
