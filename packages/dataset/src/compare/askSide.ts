import { compareBytes, splitEntries } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { decodeLeaf, encodeKey, type Leaf } from '../leaf.ts'
import { hashLeaf, type Run } from '../merkleTree.ts'
import { decodeRanges, digestOf, type KeyRange, RANGE_BYTES } from './keyRange.ts'
import { type Side, sideLimits } from './side.ts'

/** A range whose parts are asked for. The digest of all leaves of a snapshot is null: it is not known. */
export type AskedRange = Run & { readonly digest: Uint8Array | null }

/** A leaf with its key. */
export interface KeyedLeaf {
  readonly leaf: Leaf
  readonly key: Uint8Array
}

/**
 * Asks a side for the ranges of a level that larger ones consist of. They have as many leaves as these, and lead to their digests.
 *
 * @throws {DatasetError} if the answer is wrong.
 */
export async function askRanges(
  side: Side,
  level: number,
  ranges: readonly AskedRange[],
): Promise<KeyRange[]> {
  const found: KeyRange[] = []
  for (const asked of chunksOf(ranges, sideLimits.runs)) {
    const runs = asked.map(({ first, past }) => ({ first, past }))
    const fail = (rule: string) =>
      new DatasetError({ what: `${side.name}: its ranges of level ${level}`, rule })
    found.push(...checkedParts(await side.digestsOf(level, runs), { asked, level, fail }))
  }
  return found
}

type Fail = (rule: string) => DatasetError

function checkedParts(
  bytes: Uint8Array,
  {
    asked,
    level,
    fail,
  }: { readonly asked: readonly AskedRange[]; readonly level: number; readonly fail: Fail },
): KeyRange[] {
  if (bytes.length > sideLimits.digestBytes) throw fail(`have more than ${sideLimits.digestBytes} bytes`)
  if (bytes.length % RANGE_BYTES !== 0) throw fail(`are cut: a range has ${RANGE_BYTES} bytes`)
  const answered = decodeRanges(bytes).values()
  const found = asked.flatMap(({ first, past, digest }) => {
    const parts: KeyRange[] = []
    for (let at = first; at < past; at = parts.at(-1)?.past ?? past) {
      const part = answered.next().value
      if (part === undefined) throw fail(`end before leaf ${past}`)
      if (part.count === 0 || part.count > past - at || (level === 0 && part.count > 1))
        throw fail(`have one of ${part.count} leaves at leaf ${at}, in a range that ends before leaf ${past}`)
      parts.push({ first: at, past: at + part.count, digest: part.digest })
    }
    if (digest !== null && compareBytes(digest, digestOf(parts.map((part) => part.digest))) !== 0)
      throw fail(`from leaf ${first} on do not lead to the digest that the side has named before`)
    return parts
  })
  if (!answered.next().done) throw fail('are more than were asked for')
  return found
}

/**
 * Asks a side for leaves, which have these hashes and are sorted.
 *
 * @param ranges - of level 0
 * @throws {DatasetError} if the answer is wrong.
 */
export async function* askLeaves(side: Side, ranges: readonly KeyRange[]): AsyncGenerator<KeyedLeaf> {
  let last: Uint8Array | null = null
  for (const asked of chunksOf(ranges, sideLimits.leaves)) {
    const fail = (rule: string) => new DatasetError({ what: `${side.name}: its leaves`, rule })
    const bytes = await side.leavesOf(asked.map(({ first }) => first))
    if (bytes.length > sideLimits.leafBytes) throw fail(`have more than ${sideLimits.leafBytes} bytes`)
    const leaves = splitEntries(bytes)
    if (leaves?.length !== asked.length) throw fail(`are not the ${asked.length} that were asked for`)
    for (const [at, { first, digest }] of asked.entries()) {
      const each = leaves[at] ?? new Uint8Array()
      const what = `${side.name}: leaf ${first}`
      if (compareBytes(hashLeaf(each), digest) !== 0)
        throw new DatasetError({ what, rule: 'does not have the hash that the side has named before' })
      const leaf = decodeLeaf(each, what)
      const key = encodeKey(leaf)
      if (last !== null && compareBytes(last, key) >= 0)
        throw new DatasetError({ what, rule: 'its key is not after the key of the leaf before it' })
      last = key
      yield { leaf, key }
    }
  }
}

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
