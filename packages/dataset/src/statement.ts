import { decodeHex, encodeHex } from '@wattfeed/base'
import { compareBytes, startsWith } from './bytes.ts'
import { DatasetError } from './errors.ts'
import { type DatasetSeries, decodeLeaf, encodeKey, encodeSeries, isAlike, type Leaf } from './leaf.ts'
import { MANIFEST } from './manifest.ts'
import { hashLeaf, isIncluded } from './merkleTree.ts'
import type { ProvenLeaf, Snapshot } from './snapshot.ts'

/** What can be proven about a series in a snapshot. */
export const statements = ['value', 'newest', 'no_period', 'no_series'] as const

/**
 * `value`: the series has this value for the period. `newest`: this is the value of its newest period. `no_period`: it has no value
 * for the period. `no_series`: it has no value at all. The last three hold only if the snapshot is sorted. An absence is only stated if
 * the snapshot has values of the column, by the same facets.
 */
export type Statement = (typeof statements)[number]

/** A series, and a period of it; null for the newest. */
export interface SeriesQuery extends DatasetSeries {
  /** EIA's text of the period; null for the newest. */
  readonly period: string | null
}

/** One or two neighboring leaves that show a statement. */
export interface Evidence {
  readonly statement: Statement
  readonly leaves: readonly ProvenLeaf[]
}

/** A root and the number of its leaves, from one attestation. */
export interface AttestedTree {
  /** 32 bytes. */
  readonly root: Uint8Array
  readonly size: number
}

/**
 * Finds what a snapshot says about a series, with its evidence.
 *
 * @throws {DatasetError} if a file of the snapshot is wrong.
 */
export async function findSeries(snapshot: Snapshot, query: SeriesQuery): Promise<Evidence> {
  const { size } = snapshot.manifest
  const prefix = encodeSeries(query)
  const evidence = async (statement: Statement, from: number, to: number): Promise<Evidence> => ({
    statement,
    leaves: await Promise.all(indices(Math.max(0, from), Math.min(size, to)).map(snapshot.prove)),
  })
  if (query.period !== null) {
    const key = encodeKey({ ...query, period: query.period })
    const at = await snapshot.countBefore(key)
    if (at < size && compareBytes(encodeKey(await snapshot.leafAt(at)), key) === 0)
      return evidence('value', at, at + 1)
    if (await hasSeries(snapshot, at, prefix)) return evidence('no_period', at - 1, at + 1)
  }
  const end = await snapshot.countBefore(afterSeries(prefix))
  const hasAny = end > 0 && startsWith(encodeKey(await snapshot.leafAt(end - 1)), prefix)
  return hasAny ? evidence('newest', end - 1, end + 1) : evidence('no_series', end - 1, end + 1)
}

/** What a snapshot says about a series, with its evidence, which was checked. */
export interface SeriesAnswer extends Evidence {
  /** The leaf with the value; null if the statement is that there is none. */
  readonly leaf: Leaf | null
  /**
   * Whether the snapshot has values of the column, by the same facets. Without one, the statement is an absence that says nothing about
   * EIA, and that no verifier accepts.
   */
  readonly isCovered: boolean
  /** EIA's text of the first period of any value, as the manifest states it, which nothing proves; null if it does not. */
  readonly coversFrom: string | null
}

/**
 * Finds what a snapshot says about a series, and checks it against the attested root. So the files may come from anyone.
 *
 * @throws {DatasetError} if the snapshot is of another root or size, or a file of it is wrong.
 */
export async function readSeries(
  snapshot: Snapshot,
  query: SeriesQuery,
  tree: AttestedTree,
): Promise<SeriesAnswer> {
  assertOfTree(snapshot, tree)
  const { statement, leaves } = await findSeries(snapshot, query)
  const checked = leaves.map((leaf) => checkLeaf(leaf, tree))
  const leaf = checkEnclosed({ statement, leaves: checked }, query, tree)
  return {
    statement,
    leaves,
    leaf,
    isCovered: leaf !== null || areAlike(checked, query),
    coversFrom: snapshot.manifest.oldestPeriod,
  }
}

/** Asserts that a snapshot says that it is the one of an attested tree. @throws {DatasetError} */
export function assertOfTree(
  { manifest: { root, size } }: Pick<Snapshot, 'manifest'>,
  tree: AttestedTree,
): void {
  const attested = encodeHex(tree.root)
  if (root !== attested || size !== tree.size)
    throw new DatasetError({
      what: MANIFEST,
      rule: `it is of ${size} leaves with the root ${root}, not of ${tree.size} with ${attested}`,
    })
}

const indices = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => from + at)

/** Returns whether the leaf at an index, or the one before it, is of the series. */
async function hasSeries(snapshot: Snapshot, at: number, prefix: Uint8Array): Promise<boolean> {
  const neighbors = indices(Math.max(0, at - 1), Math.min(snapshot.manifest.size, at + 1))
  const leaves = await Promise.all(neighbors.map(snapshot.leafAt))
  return leaves.some((leaf) => startsWith(encodeKey(leaf), prefix))
}

/** Bytes that are larger than all keys of a series: its last byte is a zero, and UTF-8 has no byte 255. */
export const afterSeries = (prefix: Uint8Array): Uint8Array => Uint8Array.of(...prefix, 255)

/** A leaf of a proof, decoded, with its key. */
export interface CheckedLeaf {
  readonly index: number
  readonly leaf: Leaf
  readonly key: Uint8Array
}

/** Checks that a leaf is in the tree. @throws {DatasetError} */
export function checkLeaf({ index, leaf, path }: ProvenLeaf, { root, size }: AttestedTree): CheckedLeaf {
  const what = `leaf ${index}`
  // Its bytes would be those of another text.
  if (!leaf.isWellFormed()) throw new DatasetError({ what, rule: 'has a lone surrogate' })
  const bytes = new TextEncoder().encode(leaf)
  const decoded = decodeLeaf(bytes, what)
  const hashes = path.map((hash) => decodeHash(hash, what))
  if (!isIncluded(hashLeaf(bytes), { index, size }, hashes, root))
    throw new DatasetError({ what, rule: `its path does not lead to the root of ${size} leaves` })
  return { index, leaf: decoded, key: encodeKey(decoded) }
}

/** Decodes a hash of a proof. @throws {DatasetError} */
export function decodeHash(hash: string, what: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new DatasetError({ what, rule: 'a hash is not 64 lower-case hex digits' })
  return decodeHex(hash, what)
}

/** What a statement is checked against. */
interface StatementCheck {
  readonly leaves: readonly CheckedLeaf[]
  readonly query: SeriesQuery
  readonly tree: Pick<AttestedTree, 'size'>
  readonly fail: (rule: string) => DatasetError
}

const areAlike = (leaves: readonly CheckedLeaf[], query: SeriesQuery): boolean =>
  leaves.some(({ leaf }) => isAlike(leaf, query))

/** A statement with its leaves, which are in the tree. */
interface CheckedEvidence {
  readonly statement: Statement
  readonly leaves: readonly CheckedLeaf[]
}

/**
 * Checks that leaves show a statement about a series. Returns the leaf with the value; null if the statement is that there is
 * none.
 *
 * @throws {DatasetError} if they do not, or if they show an absence, and none has the column and the facets of the series.
 */
export function checkStatement(
  evidence: CheckedEvidence,
  query: SeriesQuery,
  tree: Pick<AttestedTree, 'size'>,
): Leaf | null {
  const leaf = checkEnclosed(evidence, query, tree)
  if (leaf === null && !areAlike(evidence.leaves, query))
    throw new DatasetError({ what: `statement ${evidence.statement}`, rule: NOT_COVERED })
  return leaf
}

/** What is wrong with an absence that no leaf shows to be covered. */
export const NOT_COVERED =
  'no leaf beside it has the column and the facets of the series, so the root may have been made without them'

/** Checks the same, but not whether the snapshot has the column and the facets. */
function checkEnclosed(
  { statement, leaves }: CheckedEvidence,
  query: SeriesQuery,
  tree: Pick<AttestedTree, 'size'>,
): Leaf | null {
  const fail = (rule: string) => new DatasetError({ what: `statement ${statement}`, rule })
  const [first, second, ...others] = leaves
  if (first === undefined || others.length > 0) throw fail('expected one or two leaves')
  if (second !== undefined && second.index !== first.index + 1) throw fail('its leaves are not neighbors')
  return checks[statement]({ leaves, query, tree, fail })
}

const checks: Readonly<Record<Statement, (check: StatementCheck) => Leaf | null>> = {
  value({ leaves: [first, second], query, fail }) {
    const key = keyOf(query, fail)
    if (second !== undefined) throw fail('expected one leaf')
    if (first === undefined || compareBytes(first.key, key) !== 0) throw fail('the leaf has another key')
    return first.leaf
  },
  newest({ leaves: [first, next], query, tree, fail }) {
    const prefix = encodeSeries(query)
    if (query.period !== null) throw fail('a period was requested')
    // The key of a leaf with more facets starts with these bytes, too.
    if (first === undefined || compareBytes(encodeSeries(first.leaf), prefix) !== 0)
      throw fail('the leaf is of another series')
    if (next === undefined && first.index !== tree.size - 1) throw fail('the next leaf is not shown')
    if (next !== undefined && compareBytes(next.key, afterSeries(prefix)) < 0)
      throw fail('the next leaf is not after all of the series')
    return first.leaf
  },
  no_period(check) {
    const key = keyOf(check.query, check.fail)
    return checkAbsent(check, key, key)
  },
  no_series(check) {
    const prefix = encodeSeries(check.query)
    return checkAbsent(check, prefix, afterSeries(prefix))
  },
}

function keyOf(query: SeriesQuery, fail: StatementCheck['fail']): Uint8Array {
  if (query.period === null) throw fail('it is about a period, and none was requested')
  return encodeKey({ ...query, period: query.period })
}

/** Checks that nothing lies between the leaves that is from `from` up to `to`. At an end of the tree, one leaf shows it. */
function checkAbsent({ leaves, tree, fail }: StatementCheck, from: Uint8Array, to: Uint8Array): null {
  const [first, second] = leaves
  const isBefore = first !== undefined && compareBytes(first.key, from) < 0
  const isAfter = (leaf: CheckedLeaf | undefined) => leaf !== undefined && compareBytes(leaf.key, to) > 0
  const isShown =
    second === undefined
      ? (first?.index === 0 && isAfter(first)) || (first?.index === tree.size - 1 && isBefore)
      : isBefore && isAfter(second)
  if (!isShown) throw fail('its leaves do not enclose what is absent')
  return null
}
