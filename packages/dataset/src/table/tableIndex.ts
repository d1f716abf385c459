import { memberAt, parseJson } from '@wattfeed/base'
import { compareBytes } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { isKeyText } from '../leaf.ts'
import type { Manifest } from '../manifest.ts'
import { type Codes, codesIn, widthOf } from './codes.ts'

/**
 * The file with column, facets and period of every leaf. No hash covers it: what a table reads with it is compared with the leaves, and
 * `checkSnapshot` compares all of it. Snapshots of older versions have no such file.
 */
export const TABLE_INDEX = 'table-index'

/** Maximum size of the file, in bytes: enough for 60 million leaves. */
export const MAX_TABLE_INDEX_BYTES = 2 ** 28

/** Maximum size of the texts in it, in bytes of JSON. */
export const MAX_TEXTS_BYTES = 2 ** 25

const KIND = 'wattfeed table index'

/** What writes a file that is missing or wrong. */
export const CURE = '`wattfeed datasets check <folder> --index`'

/** The texts of a list, in the order of their bytes: column ids, codes of a facet, or periods. */
export interface IndexTexts {
  readonly columns: readonly string[]
  /** In the order of the ids. A code is null for rows without one. */
  readonly facets: readonly { readonly id: string; readonly codes: readonly (string | null)[] }[]
  readonly periods: readonly string[]
}

/**
 * Column, facets and period of every leaf of a snapshot, as places in lists of texts. Leaves are in the order of their keys, so
 * those of a series are one run, and its periods ascend.
 */
export interface TableIndex extends IndexTexts, Pick<Manifest, 'root' | 'size'> {
  /** The index of the first leaf of each series, and at the end the number of leaves. */
  readonly starts: Uint32Array
  /** The column of each series. */
  readonly columnOf: Codes
  /** For each facet, the code of each series. */
  readonly facetsOf: readonly Codes[]
  /** The period of each leaf. */
  readonly periodOf: Codes
}

/** Returns the bytes of the index: its texts as JSON, then the numbers, all at multiples of four bytes, in little-endian order. */
export function encodeTableIndex(index: TableIndex): Uint8Array {
  const { root, size, columns, facets, periods, starts, columnOf, facetsOf, periodOf } = index
  const series = starts.length - 1
  const texts = JSON.stringify({ kind: KIND, version: 1, root, size, series, columns, facets, periods })
  const head = new TextEncoder().encode(texts)
  const parts = [
    Uint32Array.of(head.length),
    head,
    starts.subarray(0, series),
    columnOf,
    ...facetsOf,
    periodOf,
  ]
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + padded(byteLength), 0))
  let at = 0
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at)
    at += padded(part.byteLength)
  }
  return bytes
}

const padded = (length: number): number => Math.ceil(length / 4) * 4

/** Returns the error for an index that breaks a rule. It names the cure. */
export const indexFault = (rule: string): DatasetError =>
  new DatasetError({ what: TABLE_INDEX, rule: `${rule}; ${CURE} writes it again` })

/**
 * Parses an index, and checks its form: it is of this root, its lists are sorted, and its series and periods ascend as keys do.
 *
 * @throws {DatasetError} which names the cure.
 */
export function decodeTableIndex(
  found: Uint8Array,
  { root, size, columns, facets }: Pick<Manifest, 'root' | 'size' | 'columns' | 'facets'>,
): TableIndex {
  // Numbers are read where they are, at multiples of four.
  const bytes = new Uint8Array(found)
  const headLength = bytes.length < 4 ? 0 : (new Uint32Array(bytes.buffer, 0, 1)[0] ?? 0)
  if (headLength > Math.min(MAX_TEXTS_BYTES, bytes.length - 4)) throw indexFault('is cut or no index')
  const head = parseJson(new TextDecoder().decode(bytes.subarray(4, 4 + headLength)))
  if (memberAt(head, 'kind') !== KIND || memberAt(head, 'version') !== 1)
    throw indexFault('is no index of tables that this version reads')
  if (memberAt(head, 'root') !== root || memberAt(head, 'size') !== size)
    throw indexFault(`is not of the root ${root} with ${size} leaves`)
  const texts = parseTexts(head)
  if (texts === null) throw indexFault('has lists that are malformed or not sorted')
  const ids = [...facets].sort()
  if (
    texts.columns.some((column) => !columns.includes(column)) ||
    texts.facets.length !== ids.length ||
    texts.facets.some(({ id }, at) => id !== ids[at])
  )
    throw indexFault('has other columns or facets than the manifest names')
  const index = readNumbers(bytes, 4 + padded(headLength), { root, size, ...texts }, memberAt(head, 'series'))
  assertAscending(index)
  return index
}

function parseTexts(head: unknown): IndexTexts | null {
  const [columns, facets, periods] = ['columns', 'facets', 'periods'].map((name) => memberAt(head, name))
  if (!isSortedTexts(columns) || !isSortedTexts(periods) || !Array.isArray(facets)) return null
  const read = facets.map((facet) => ({ id: memberAt(facet, 'id'), codes: memberAt(facet, 'codes') }))
  return read.every(isFacet) ? { columns, facets: read, periods } : null
}

const isFacet = (facet: { id: unknown; codes: unknown }): facet is IndexTexts['facets'][number] =>
  isKeyText(facet.id) &&
  Array.isArray(facet.codes) &&
  facet.codes.length > 0 &&
  isSorted(facet.codes[0] === null ? facet.codes.slice(1) : facet.codes)

const isSortedTexts = (texts: unknown): texts is string[] =>
  Array.isArray(texts) && texts.length > 0 && isSorted(texts)

function isSorted(texts: readonly unknown[]): texts is string[] {
  const encoder = new TextEncoder()
  let last = new Uint8Array()
  return texts.every((text) => {
    if (!isKeyText(text)) return false
    const bytes = encoder.encode(text)
    const isAfter = compareBytes(last, bytes) < 0
    last = bytes
    return isAfter
  })
}

function readNumbers(
  bytes: Uint8Array<ArrayBuffer>,
  offset: number,
  head: IndexTexts & Pick<Manifest, 'root' | 'size'>,
  series: unknown,
): TableIndex {
  const { size, columns, facets, periods } = head
  if (typeof series !== 'number' || !Number.isSafeInteger(series) || series < 1 || series > size)
    throw indexFault('has no number of series')
  const lists = [
    { length: series, count: 2 ** 32 },
    { length: series, count: columns.length },
    ...facets.map(({ codes }) => ({ length: series, count: codes.length })),
    { length: size, count: periods.length },
  ]
  const lengths = lists.map(({ length, count }) => padded(length * widthOf(count)))
  const expected = offset + lengths.reduce((sum, length) => sum + length, 0)
  if (bytes.length !== expected) throw indexFault(`has ${bytes.length} bytes, not ${expected}`)
  let at = offset
  const [first, columnOf, ...rest] = lists.map((list, number) => {
    const codes = codesIn(bytes, at, list)
    if (codes.some((code) => code >= list.count)) throw indexFault('has a code that is in no list')
    at += lengths[number] ?? 0
    return codes
  })
  const periodOf = rest.pop()
  if (first === undefined || columnOf === undefined || periodOf === undefined)
    throw new TypeError('four lists')
  const starts = new Uint32Array(series + 1)
  starts.set(first)
  starts[series] = size
  return { ...head, starts, columnOf, facetsOf: rest, periodOf }
}

/** Asserts that series ascend, and the periods of each. */
function assertAscending({ starts, columnOf, facetsOf, periodOf }: TableIndex): void {
  const lists = [columnOf, ...facetsOf]
  if (starts[0] !== 0) throw indexFault('has leaves of no series')
  for (let series = 0; series + 1 < starts.length; series++) {
    const [start, end] = [starts[series] ?? 0, starts[series + 1] ?? 0]
    const differing = lists.find((codes) => codes[series] !== codes[series - 1])
    if (end <= start || (series > 0 && !(differing && isAscent(differing, series))))
      throw indexFault('has series that do not ascend')
    for (let leaf = start + 1; leaf < end; leaf++)
      if (!isAscent(periodOf, leaf)) throw indexFault('has periods that do not ascend')
  }
}

const isAscent = (codes: Codes, at: number): boolean => (codes[at - 1] ?? 0) < (codes[at] ?? 0)
