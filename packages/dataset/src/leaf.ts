import { memberAt, parseJson } from '@wattfeed/base'
import { compareBytes } from './bytes.ts'
import { DatasetError } from './errors.ts'

/** One series of a dataset: a column of its rows with these facets. */
export interface DatasetSeries {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  /** EIA's frequency: `weekly`. */
  readonly frequency: string
  /** EIA's id of the column. */
  readonly column: string
  /** The value of every facet of the dataset, by its id; null where EIA's rows have none. */
  readonly facets: Readonly<Record<string, string | null>>
}

/** What identifies a leaf. */
export interface LeafKey extends DatasetSeries {
  /** EIA's text of the period: `2026-11-20`. */
  readonly period: string
}

/** One value of a dataset, with all texts as EIA sent them. */
export interface Leaf extends LeafKey {
  /** The value as text, with every digit; null for JSON `null`. EIA also withholds a value by a text, such as `w` or `NA`. */
  readonly value: string | null
  /** The unit that the row states and that a feed hashes; null if the row has none. */
  readonly unit: string | null
}

/** Maximum size of a leaf, in bytes. */
export const MAX_LEAF_BYTES = 4096

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns the bytes of a leaf: canonical JSON of the column and the source. The source is the text that a feed hashes for the
 * same value, so that the feed's `source_hash` can be recomputed from the leaf.
 */
export function encodeLeaf({ route, frequency, column, facets, period, value, unit }: Leaf): Uint8Array {
  const source = { route, frequency, facets: sortedFacets(facets), period, value, unit }
  return encoder.encode(JSON.stringify({ column, source }))
}

/**
 * Parses the bytes of a leaf.
 *
 * @throws {DatasetError} unless they are exactly what {@link encodeLeaf} writes.
 */
export function decodeLeaf(bytes: Uint8Array, what: string): Leaf {
  const fail = (rule: string) => new DatasetError({ what, rule })
  if (bytes.length > MAX_LEAF_BYTES) throw fail(`a leaf has at most ${MAX_LEAF_BYTES} bytes`)
  const leaf = parseLeaf(bytes)
  if (leaf === null) throw fail('not a leaf')
  if (compareBytes(encodeLeaf(leaf), bytes) !== 0) throw fail('not in canonical form')
  return leaf
}

function parseLeaf(bytes: Uint8Array): Leaf | null {
  const json = parseJson(decodeText(bytes))
  const source = memberAt(json, 'source')
  const facets = memberAt(source, 'facets')
  const column = memberAt(json, 'column')
  const [route, frequency, period] = ['route', 'frequency', 'period'].map((name) => memberAt(source, name))
  const [value, unit] = ['value', 'unit'].map((name) => memberAt(source, name))
  if (!isKeyText(route) || !isKeyText(frequency) || !isKeyText(column) || !isKeyText(period)) return null
  if (!isTextOrNull(value) || !isTextOrNull(unit) || unit === '') return null
  if (!Array.isArray(facets) || !facets.every(isFacet)) return null
  return { route, frequency, column, facets: Object.fromEntries(facets), period, value, unit }
}

/** The text; an empty one, which is not JSON, if the bytes are not UTF-8. */
function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return ''
  }
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'

/** Returns whether this can be an element of a key: not empty, and without the character that ends an element. */
export const isKeyText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()

const FACET_ID = /^[A-Za-z0-9_-]+$/

const isFacet = (pair: unknown): pair is [string, string | null] =>
  Array.isArray(pair) &&
  pair.length === 2 &&
  isKeyText(pair[0]) &&
  FACET_ID.test(pair[0]) &&
  (pair[1] === null || isKeyText(pair[1]))

/** The facets as pairs, sorted by id. Ids are ASCII, so every order of their characters is the same. */
const sortedFacets = (facets: LeafKey['facets']): [string, string | null][] =>
  Object.entries(facets).sort(([a], [b]) => (a < b ? -1 : 1))

/**
 * Returns whether a leaf has the column and exactly the facets of a series. A sorted tree that has such leaves has one beside any place
 * where the series could be. So an absence without one says nothing about EIA: the snapshot was made without the column or with other
 * facets.
 */
export const isAlike = (leaf: DatasetSeries, series: DatasetSeries): boolean =>
  leaf.route === series.route &&
  leaf.frequency === series.frequency &&
  leaf.column === series.column &&
  idsOf(leaf) === idsOf(series)

const idsOf = ({ facets }: DatasetSeries): string => Object.keys(facets).sort().join()

/** Formats a series for people: `natural-gas/stor/wkly weekly value duoarea=R48 process=SWO`. */
export const formatSeries = ({ route, frequency, column, facets }: DatasetSeries): string =>
  [route, frequency, column, ...sortedFacets(facets).map(([id, value]) => `${id}=${value ?? ''}`)].join(' ')

/**
 * Returns the sort key of a leaf: route, frequency, column, then id and value of each facet, then the period. Each element is
 * UTF-8 and ends with a zero byte; a facet without a value is an empty element. So bytes compare as the elements do.
 *
 * @throws {DatasetError} if an element is empty, holds a zero character, or is not well-formed.
 */
export const encodeKey = (key: LeafKey): Uint8Array => encodeElements([...elementsOf(key), key.period])

/** Returns the bytes with which the keys of a series start, and no others. */
export const encodeSeries = (series: DatasetSeries): Uint8Array => encodeElements(elementsOf(series))

const elementsOf = ({ route, frequency, column, facets }: DatasetSeries): (string | null)[] => [
  route,
  frequency,
  column,
  ...sortedFacets(facets).flat(),
]

function encodeElements(elements: readonly (string | null)[]): Uint8Array {
  const wrong = elements.find((element) => element !== null && !isKeyText(element))
  if (wrong !== undefined)
    throw new DatasetError({
      what: JSON.stringify(wrong),
      rule: 'a part of a key is text that is not empty, without U+0000 and lone surrogates',
    })
  return encoder.encode(elements.map((element) => `${element ?? ''}\0`).join(''))
}

/** Returns the key that {@link encodeKey} has encoded. */
export function decodeKey(bytes: Uint8Array): LeafKey {
  const elements = decoder.decode(bytes).split('\0').slice(0, -1)
  const [route = '', frequency = '', column = '', ...rest] = elements
  const period = rest.pop() ?? ''
  const facets = rest.flatMap((id, index) =>
    index % 2 === 0 ? [[id, rest[index + 1] || null] as const] : [],
  )
  return { route, frequency, column, facets: Object.fromEntries(facets), period }
}
