import { encodeKey, type Leaf, type LeafKey, type Snapshot } from '@wattfeed/dataset'

/** A key, and where it is in a snapshot. */
export interface PlacedKey {
  readonly key: LeafKey
  /** How many leaves of the snapshot have a smaller key. */
  readonly index: number
  /** The leaf of the snapshot with this key; null if it has none. */
  readonly own: Leaf | null
}

/** A key whose leaf in a snapshot is to be another. */
export interface PlacedLeaf extends PlacedKey {
  /** The leaf that it is to have; null for none. */
  readonly leaf: Leaf | null
}

/**
 * Finds keys in a snapshot, and returns each once, in their order.
 *
 * @throws {DatasetError} if a key cannot be one, or a file of the snapshot is wrong.
 */
export async function placeKeys(snapshot: Snapshot, keys: readonly LeafKey[]): Promise<PlacedKey[]> {
  const encoded = keys.map((key) => ({ key, bytes: encodeKey(key) }))
  encoded.sort((one, other) => Buffer.compare(one.bytes, other.bytes))
  const placed: PlacedKey[] = []
  let last: Uint8Array = new Uint8Array()
  for (const { key, bytes } of encoded) {
    if (Buffer.compare(last, bytes) === 0) continue
    last = bytes
    const index = await snapshot.countBefore(bytes)
    const next = index < snapshot.manifest.size ? await snapshot.leafAt(index) : null
    const isThere = next !== null && Buffer.compare(encodeKey(next), bytes) === 0
    placed.push({ key, index, own: isThere ? next : null })
  }
  return placed
}

/** Whether a key is to have another leaf than it has. */
export const isChanged = ({ own, leaf }: Pick<PlacedLeaf, 'own' | 'leaf'>): boolean =>
  own === null || leaf === null ? own !== leaf : own.value !== leaf.value || own.unit !== leaf.unit
