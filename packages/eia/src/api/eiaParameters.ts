import { jsonExcess } from '@wattfeed/base'
import { parseExactJson } from '../parseExactJson.ts'

/** The parameters of a request to EIA's API, as EIA parses and echoes them: every value is a text. */
export interface EiaParameters {
  frequency?: string
  /** Ids of the columns. */
  data?: string[]
  /** Values by the id of a facet. */
  facets?: Record<string, string[]>
  /** The first one decides first. */
  sort?: EiaSort[]
  offset?: string
  length?: string
  /** The first period to return. */
  start?: string
  /** The last period to return. */
  end?: string
  api_key?: string
}

/** A column, a facet or `period`, and `asc` or `desc`. */
export interface EiaSort {
  column?: string
  direction?: string
}

/** Maximum length of the header `X-Params`, in characters. */
export const MAX_X_PARAMS = 8_192

const plain = ['frequency', 'offset', 'length', 'start', 'end', 'api_key'] as const

/**
 * Parses the query `data[0]=…`, `facets[id][]=…`, `sort[0][column]=…` and the plain parameters. Ignores others. The header `X-Params` has
 * the same parameters as an object in JSON, but for the key; a parameter of the query replaces that of the header.
 *
 * @param header - null without one
 * @param mapText - changes each name and each value
 * @returns null if the header is too long, or not an object in JSON
 */
export function parseEiaParameters(
  query: URLSearchParams,
  header: string | null = null,
  mapText: (text: string) => string = (text) => text,
): EiaParameters | null {
  const pairs = Array.from(query, ([name, value]): Pair => [pathOf(name), value])
  const asked = parsePairs(pairs, mapText)
  if (header === null) return asked
  const object = parseObject(header)
  if (object === null) return null
  const inHeader = Object.entries(object).flatMap(([name, value]) => pairsOf(value, pathOf(name)))
  const { api_key: _, ...parameters } = parsePairs(inHeader, mapText)
  return { ...parameters, ...asked }
}

/** A name in its parts, as `sort`, `0` and `column`, and its value. */
type Pair = readonly [path: readonly string[], value: string]

/** `data`, `data[0]`, `facets[stateid]`, `sort[0][column]`. */
const NAME = /^(\w+)(?:\[([^\]]*)\](?:\[([^\]]*)\])?)?$/

/** No part for a name of another form. */
const pathOf = (name: string): string[] =>
  NAME.exec(name)
    ?.slice(1)
    .filter((part) => part !== undefined) ?? []

function parsePairs(pairs: readonly Pair[], mapText: (text: string) => string): EiaParameters {
  const parameters: EiaParameters = {}
  const facets = new Map<string, string[]>()
  const sort = new Map<string, EiaSort>()
  for (const [path, text] of pairs) {
    const [list = '', first = '', second = '', ...deeper] = path.map(mapText)
    if (deeper.length > 0) continue
    const value = mapText(text)
    if (isPlain(list)) parameters[list] = value
    if (list === 'data') {
      parameters.data ??= []
      parameters.data.push(value)
    }
    if (list === 'facets') {
      const values = facets.get(first) ?? []
      values.push(value)
      facets.set(first, values)
    }
    if (list === 'sort' && (second === 'column' || second === 'direction'))
      sort.set(first, { ...sort.get(first), [second]: value })
  }
  if (facets.size > 0) parameters.facets = Object.fromEntries(facets)
  if (sort.size > 0)
    parameters.sort = [...sort].sort(([one], [other]) => Number(one) - Number(other)).map(([, by]) => by)
  return parameters
}

const isPlain = (name: string): name is (typeof plain)[number] => plain.some((each) => each === name)

/** Parses an object, with numbers as texts; null if it is none, or too long. */
function parseObject(text: string): object | null {
  if (text.length > MAX_X_PARAMS || jsonExcess(text) !== null) return null
  try {
    const json = parseExactJson(text)
    return typeof json === 'object' && !Array.isArray(json) ? json : null
  } catch {
    return null
  }
}

/** Returns the texts of a JSON value, each with its path. */
function pairsOf(value: unknown, path: readonly string[]): Pair[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => pairsOf(item, [...path, key]))
}
