import {
  KindGuard,
  type ObjectOptions,
  type StaticDecode,
  type TArray,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { FACET_PARAMETER } from 'wattfeed/internal'
import { parseText } from '../../runtime/settings/parseText.ts'
import { HttpError } from './httpError.ts'
import { urlQuery } from './paths.ts'
import { strictSchema } from './strictSchema.ts'

export class QueryError extends HttpError {
  static override readonly name = 'QueryError'
  readonly code = 'query'
  readonly retryable = false

  constructor(
    readonly parameter: string,
    /** As sent, decoded; null if it is missing. */
    readonly value: string | null,
    readonly rule: string,
    message = `${shown(parameter)}${value === null ? '' : `=${shown(value)}`}: ${rule}`,
  ) {
    super(message)
  }

  get status() {
    return 400
  }
}

const MAX_SHOWN_LENGTH = 100

const shorten = (text: string): string =>
  text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text

/** Formats a caller's text on one line, quoted unless it is a single word. */
function shown(text: string): string {
  const short = shorten(text)
  return /^[\w.:-]+$/.test(short) ? short : JSON.stringify(short)
}

/**
 * Route options that check a query strictly: an unknown, repeated or malformed parameter throws a {@link QueryError}.
 * A parameter with an array schema may be repeated. A schema states its rule as `error` if its type does not.
 */
export function strictQuery<T extends TProperties>(properties: T) {
  return queryOf(properties, pairsOf, { additionalProperties: false })
}

/** As {@link strictQuery}, but unknown parameters are ignored, even malformed ones. */
export function knownQuery<T extends TProperties>(properties: T) {
  const isKnown = (pair: string): boolean => Object.hasOwn(properties, pair.replace(/=.*/s, ''))
  const knownPairsOf = (query: string) => pairsOf(query.split('&').filter(isKnown).join('&'))
  return queryOf(properties, knownPairsOf, { additionalProperties: true })
}

/**
 * As {@link knownQuery}, for an endpoint of the specification: the last value of a repeated parameter counts, and malformed
 * encoding is accepted.
 */
export function lastQuery<T extends TProperties>(properties: T) {
  const lastPairsOf = (query: string) =>
    [...new Map(new URLSearchParams(query))].filter(([name]) => Object.hasOwn(properties, name))
  return queryOf(properties, lastPairsOf, { additionalProperties: true })
}

const HISTORY = '/v1/feeds/:id/history'

/** What takes each parameter that selects another time. */
const takers: Readonly<Record<string, string>> = {
  as_of: `${HISTORY} takes as_of`,
  period: `/v1/series takes period, and ${HISTORY} takes period_from and period_to`,
  period_from: `${HISTORY} takes period_from`,
  period_to: `${HISTORY} takes period_to`,
  vintages: `${HISTORY} takes vintages`,
}

/**
 * Route options of an endpoint of the specification that has only the newest values. It ignores unknown parameters, but not those
 * that select another time: their sender would take the newest value for an earlier one.
 */
export const newestOnly = {
  beforeHandle({ request }: { request: Request }): void {
    for (const [name, text] of new URLSearchParams(urlQuery(request.url))) {
      const known = name.toLowerCase()
      if (!Object.hasOwn(takers, known)) continue
      const rule = `this endpoint has no other time, but ${takers[known]}`
      throw new QueryError(name, text, rule, unknownText(name, rule))
    }
  },
}

/** The facets of a query. */
export type FacetValues = Readonly<Record<string, string | null>>

// An object in a query is a parameter for each of its members (`style: form`, `explode: true`), by their names alone.
const facetParameters = (description: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      propertyNames: { pattern: '^facet\\.' },
      description,
      examples: [
        {
          'facet.duoarea': 'YCUOK',
          'facet.product': 'EPCWTI',
          'facet.process': 'PF4',
          'facet.series': 'RWTC',
        },
      ],
    }),
  )

const eachFacet = facetParameters(
  'A parameter `facet.<id>` for each facet of the dataset, such as `facet.series=RWTC`; empty where EIA’s rows have none.',
)

const someFacets = facetParameters(
  'A parameter `facet.<id>` for a code of a facet, such as `facet.product=EPCWTI`; empty for rows without one. Repeat it for several codes; leave a facet out for all.',
)

/** As {@link strictQuery}, and each `facet.<id>` is a member of `facets`; null if its value is empty. */
export const facetQuery = <T extends TProperties>(properties: T) =>
  queryWithFacets(properties, eachFacet, (pairs): FacetValues => {
    const doubled = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) !== at)
    if (doubled !== undefined) throw repeatedParameter(...doubled, 1)
    return Object.fromEntries(readFacets(pairs).map(([id, [value = null]]) => [id, value]))
  })

/** Several values of each facet of a query. */
export type FacetLists = Readonly<Record<string, readonly (string | null)[]>>

/** As {@link facetQuery}, but `facet.<id>` may be repeated: each member of `facets` is a list. */
export const facetListQuery = <T extends TProperties>(properties: T) =>
  queryWithFacets(properties, someFacets, (pairs): FacetLists => Object.fromEntries(readFacets(pairs)))

type Pair = readonly [name: string, text: string]

function queryWithFacets<T extends TProperties, Facets>(
  properties: T,
  facetParameter: typeof eachFacet,
  facetsIn: (pairs: readonly Pair[]) => Facets,
) {
  const documented = Type.Object({ ...properties, facets: facetParameter })
  const isFacet = ([name]: Pair) => name.startsWith(FACET_PARAMETER)
  const read = (pairs: unknown) => {
    const given = pairs as Pair[]
    const others = given.filter((pair) => !isFacet(pair))
    const facets = facetsIn(given.filter(isFacet))
    return { ...readParameters(properties, others, [`${FACET_PARAMETER}<id>`]), facets }
  }
  return {
    transform: queryOf(properties, pairsOf, {}).transform,
    query: strictSchema<StaticDecode<TObject<T>> & { facets: Facets }>(documented, read),
  }
}

/** Maximum number of facets in a query. EIA's datasets have at most eleven. */
const MAX_FACETS = 50

/** Maximum number of values of all facets in a query. */
const MAX_FACET_VALUES = 1_000

/** Reads the values of each facet. An empty one is null. */
function readFacets(pairs: readonly Pair[]): [id: string, values: (string | null)[]][] {
  const facets = new Map<string, (string | null)[]>()
  const [name = '', text = ''] = pairs[MAX_FACET_VALUES] ?? []
  if (pairs.length > MAX_FACET_VALUES)
    throw new QueryError(name, text, `pass at most ${MAX_FACET_VALUES} values of facets`)
  for (const [name, text] of pairs) {
    const id = name.slice(FACET_PARAMETER.length)
    const values = facets.get(id)
    if (values === undefined && facets.size >= MAX_FACETS)
      throw new QueryError(name, text, `pass at most ${MAX_FACETS} facets`)
    if (text.includes('\0')) throw new QueryError(name, text, 'it must be a text without U+0000')
    facets.set(id, [...(values ?? []), text === '' ? null : text])
  }
  return [...facets]
}

function queryOf<T extends TProperties>(properties: T, split: typeof pairsOf, options: ObjectOptions) {
  return {
    // Elysia's own parser forgets which parameters were repeated or malformed.
    transform: (context: { request: Request; query: unknown }) => {
      context.query = split(urlQuery(context.request.url))
    },
    query: strictSchema<StaticDecode<TObject<T>>>(Type.Object(properties, options), (pairs) =>
      readParameters(properties, pairs as [string, string][]),
    ),
  }
}

/** Returns a schema that checks path parameters as {@link strictQuery} checks those of a query. */
export function strictParams<T extends TProperties>(properties: T) {
  return strictSchema<StaticDecode<TObject<T>>>(Type.Object(properties), (params) =>
    readParameters(properties, Object.entries(params as Record<string, string>)),
  )
}

function readParameters<T extends TProperties>(
  properties: T,
  pairs: readonly (readonly [name: string, text: string])[],
  /** Other names that the endpoint takes. */
  others: readonly string[] = [],
): StaticDecode<TObject<T>> {
  const given: Record<string, string[]> = {}
  for (const [name, text] of pairs) {
    const schema = properties[name]
    if (schema === undefined || !Object.hasOwn(properties, name))
      throw unknownParameter(name, text, [...Object.keys(properties), ...others])
    given[name] ??= []
    if (given[name].length >= maxTimes(schema)) throw repeatedParameter(name, text, maxTimes(schema))
    given[name].push(text)
  }
  const found: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const texts = given[name]
    if (texts !== undefined)
      found[name] = isArray(schema)
        ? texts.map((text) => readValue(name, text, schema.items))
        : readValue(name, texts[0] ?? '', schema)
    else if (!KindGuard.IsOptional(schema))
      throw new QueryError(name, null, `required; pass it ${requiredTimes(schema)}`)
  }
  return found as StaticDecode<TObject<T>>
}

const isArray = (schema: TSchema): schema is TArray => schema.type === 'array'

const maxTimes = (schema: TSchema): number =>
  isArray(schema) ? (schema.maxItems ?? Number.POSITIVE_INFINITY) : 1

function requiredTimes(schema: TSchema): string {
  const max = maxTimes(schema)
  return max === 1 ? 'once' : `${schema.minItems ?? 1} to ${max} times`
}

const repeatedParameter = (name: string, value: string, max: number): QueryError =>
  new QueryError(
    name,
    value,
    max === 1 ? 'it takes one value; pass it only once' : `pass it at most ${max} times`,
  )

function unknownParameter(name: string, value: string, known: readonly string[]): QueryError {
  const rule = known.length === 0 ? 'this endpoint takes none' : `allowed: ${known.join(', ')}`
  return new QueryError(name, value, rule, unknownText(name, rule))
}

const unknownText = (name: string, rule: string): string =>
  `unknown query parameter ${JSON.stringify(shorten(name))}; ${rule}`

function readValue(name: string, text: string, schema: TSchema): unknown {
  try {
    return parseText(schema, text)
  } catch (error) {
    throw new QueryError(name, text, `it must be ${error instanceof Error ? error.message : error}`)
  }
}

/** @see https://url.spec.whatwg.org/#urlencoded-parsing */
function pairsOf(query: string): [name: string, value: string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [decode(name, name), decode(name, value)]
    })
}

function decode(name: string, part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw new QueryError(
      name,
      part,
      'it must be percent-encoded UTF-8, such as encodeURIComponent in JavaScript returns',
    )
  }
}
