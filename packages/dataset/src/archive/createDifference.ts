import { compareBytes } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { FACETS, MAX_FACETS_BYTES } from '../facets.ts'
import { decodeLeaf, encodeKey, encodeLeaf, type Leaf } from '../leaf.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, type Manifest, parseManifest } from '../manifest.ts'
import { INDEX, MAX_INDEX_BYTES, readBundle } from '../snapshot.ts'
import { readFile, type SnapshotFiles } from '../snapshotFiles.ts'
import { MAX_TABLE_INDEX_BYTES, TABLE_INDEX } from '../table/tableIndex.ts'
import { TILE_WIDTH } from '../tiles.ts'
import { type DifferenceRun, formatDifference, MAX_CONTENT_BYTES, type RunKind } from './difference.ts'
import { hashLeafNatively } from './nativeTree.ts'

/** Maximum size of another file that is kept, in bytes. */
const MAX_OTHER_BYTES = 2 ** 24

/**
 * Returns the file of a snapshot as a difference against a later one. Both are sorted, and as their manifests say.
 *
 * @param number - larger than that of any difference in the archive
 * @param others - names of more files of the snapshot that it keeps
 * @throws {DatasetError} if a file is missing or wrong, or if too much differs.
 */
export async function createDifference(
  snapshot: SnapshotFiles,
  base: SnapshotFiles,
  { number, others }: { readonly number: number; readonly others: readonly string[] },
): Promise<Uint8Array> {
  const [manifest, later] = [await manifestOf(snapshot), await manifestOf(base)]
  const found = await compare(new LeafReader(snapshot, manifest), new LeafReader(base, later))
  return formatDifference({
    header: {
      ...{ root: manifest.root, base: later.root, size: manifest.size, baseSize: later.size, number },
    },
    files: await keptFiles(snapshot, others),
    ...found,
  })
}

const manifestOf = async (files: SnapshotFiles): Promise<Manifest> =>
  parseManifest(new TextDecoder().decode(await readFile(files, MANIFEST, MAX_MANIFEST_BYTES)))

async function keptFiles(files: SnapshotFiles, others: readonly string[]): Promise<Map<string, Uint8Array>> {
  const limits: [name: string, maxBytes: number][] = [
    [MANIFEST, MAX_MANIFEST_BYTES],
    [INDEX, MAX_INDEX_BYTES],
    [FACETS, MAX_FACETS_BYTES],
    [TABLE_INDEX, MAX_TABLE_INDEX_BYTES],
    ...others.map((name): [string, number] => [name, MAX_OTHER_BYTES]),
  ]
  const kept = new Map<string, Uint8Array>()
  for (const [name, maxBytes] of limits) {
    const bytes = await files.read(name, maxBytes)
    if (bytes !== null) kept.set(name, bytes)
  }
  return kept
}

/** Reads the leaves of a snapshot, one after the other. */
class LeafReader {
  readonly #files: SnapshotFiles
  readonly #size: number
  #bundle: readonly Uint8Array[] = []
  #at = 0

  constructor(files: SnapshotFiles, { size }: Manifest) {
    this.#files = files
    this.#size = size
  }

  /** Returns the bytes of the next leaf without going on; null after the last. */
  async peek(): Promise<Uint8Array | null> {
    const offset = this.#at % TILE_WIDTH
    if (this.#at >= this.#size) return null
    if (offset === 0) this.#bundle = await readBundle(this.#files, this.#at / TILE_WIDTH, this.#size)
    return this.#bundle[offset] ?? null
  }

  skip(): void {
    this.#at += 1
  }
}

async function compare(snapshot: LeafReader, base: LeafReader) {
  const runs: DifferenceRun[] = []
  const contents: Uint8Array[] = []
  const hashes: Uint8Array[] = []
  let bytes = 0
  const add = (kind: RunKind, leaf?: { readonly content: Uint8Array; readonly bytes: Uint8Array }) => {
    const last = runs.at(-1)
    if (last?.kind === kind) runs[runs.length - 1] = { kind, count: last.count + 1 }
    else runs.push({ kind, count: 1 })
    if (leaf === undefined) return
    bytes += leaf.content.length
    if (bytes > MAX_CONTENT_BYTES)
      throw new DatasetError({ what: 'the difference', rule: `has more than ${MAX_CONTENT_BYTES} bytes` })
    contents.push(leaf.content)
    hashes.push(hashLeafNatively(leaf.bytes))
  }
  for (;;) {
    const [own, other] = [await snapshot.peek(), await base.peek()]
    if (own === null && other === null) break
    if (own !== null && other !== null && Buffer.compare(own, other) === 0) add('keep')
    else {
      const order = orderOf(own, other)
      if (order > 0) add('drop')
      else if (own !== null)
        add(order < 0 ? 'add' : 'replace', { content: order < 0 ? own : contentOf(own), bytes: own })
      if (order > 0) {
        base.skip()
        continue
      }
      if (order < 0) {
        snapshot.skip()
        continue
      }
    }
    snapshot.skip()
    base.skip()
  }
  return { runs, contents, hashes: new Uint8Array(Buffer.concat(hashes)) }
}

/** Compares the keys of two leaves; the end comes after all. */
function orderOf(own: Uint8Array | null, other: Uint8Array | null): number {
  if (own === null) return 1
  if (other === null) return -1
  return compareBytes(keyOf(own), keyOf(other))
}

const keyOf = (bytes: Uint8Array): Uint8Array => encodeKey(decodeLeaf(bytes, 'a leaf'))

/** Returns what replaces the value and unit of a leaf with the same key. */
function contentOf(bytes: Uint8Array): Uint8Array {
  const { value, unit } = decodeLeaf(bytes, 'a leaf')
  return new TextEncoder().encode(JSON.stringify([value, unit]))
}

/** Returns the bytes of a leaf with another value and unit. @throws {DatasetError} */
export function revise(leaf: Leaf, content: Uint8Array): Uint8Array {
  const [value, unit] = parseContent(content)
  return encodeLeaf({ ...leaf, value, unit })
}

function parseContent(content: Uint8Array): [value: string | null, unit: string | null] {
  const json: unknown = JSON.parse(new TextDecoder().decode(content))
  const isText = (each: unknown): each is string | null => each === null || typeof each === 'string'
  if (Array.isArray(json) && isText(json[0]) && isText(json[1])) return [json[0], json[1]]
  throw new DatasetError({ what: 'the difference', rule: 'has a value that is no text' })
}
