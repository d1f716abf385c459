import { AbsenceNotProvenError, HiddenValueError } from '@wattfeed/casper'
import { feedRegistryField } from '../../../registry/fields.ts'
import { type FeedAbsence, type FeedProofItem, jsonOf } from '../feedProof.ts'
import { type ProvenRegistry, readAll, readRegistry } from '../provenRegistry.ts'
import type { FeedProofRequest } from './createFeedProof.ts'
import { absentField, fieldKeyOf } from './registryItems.ts'

export interface FeedAbsenceRequest extends Omit<FeedProofRequest, 'index' | 'isAttesterIncluded'> {
  /** Reads the ids of all feeds, or returns them from the cache. */
  ids: IdsReader
  /** Whether it is an error if the absence cannot be shown. */
  isProofRequired: boolean
}

/**
 * Proves that a feed is not registered, or has no value, at one state root. Returns null if it has a value, or if its
 * absence cannot be shown.
 *
 * @throws {@link AbsenceNotProvenError} when it cannot be shown, and a proof is required.
 * @throws {@link HiddenValueError} when the list of ids has the feed that nodes report as absent.
 */
export async function createFeedAbsence(request: FeedAbsenceRequest): Promise<FeedAbsence | null> {
  const { feedId, known, stateRootHash, registries, block, switchBlocks } = request
  const feeds = await readRegistry(request, 'FeedRegistry', known.isListed)
  const feed = await feeds.read(feedRegistryField.feed(feedId), { isThere: known.isListed })
  const isRegistered = feed !== null
  const absent = isRegistered ? 'value' : 'feed'
  const { registry, field } = absentField(feedId, absent)
  const { items } = isRegistered ? await readRegistry(request, registry, known.isListed) : feeds
  const key = fieldKeyOf(registry, items.at(-1)?.stored_value, field)
  const found = await request.evidence.find(stateRootHash, key, request.signal)
  if (found?.verdict === 'present') return null
  const list = found || isRegistered ? null : await request.ids(stateRootHash, feeds)
  if (list?.feedIds.has(feedId)) throw new HiddenValueError(`${registry}.${field.what}`)
  const evidence = found ? jsonOf(found.evidence) : list && { ids: list.ids }
  if (evidence === null && request.isProofRequired)
    throw new AbsenceNotProvenError(`${registry}.${field.what}`)
  if (evidence === null) return null
  return {
    format: 2,
    feed_id: feedId,
    absent,
    registries,
    items,
    evidence,
    block,
    switch_blocks: switchBlocks,
  }
}

/** All ids of the FeedRegistry. */
interface ProvenIds {
  /** The number of feeds, then each id. */
  ids: readonly FeedProofItem[]
  feedIds: ReadonlySet<string>
}

/** Reads the number of feeds and every id, with their proofs; null if there are too many. */
export type IdsReader = (stateRootHash: string, feeds: ProvenRegistry) => Promise<ProvenIds | null>

/** The proof of an id takes 20 to 120 kB of JSON. */
const MAX_IDS = 200

/**
 * Creates a reader that keeps the ids of the newest state root, because they show the absence of every other feed. A request
 * that waits for another one reads by itself if that one fails, for example because its client left.
 */
export function createIdsReader(): IdsReader {
  let kept: { stateRootHash: string; ids: ReturnType<IdsReader> } | null = null
  const read: IdsReader = (stateRootHash, feeds) => {
    if (kept?.stateRootHash === stateRootHash) return kept.ids.catch(() => read(stateRootHash, feeds))
    const ids = readIds(feeds)
    const reading = { stateRootHash, ids }
    kept = reading
    ids.catch(() => {
      if (kept === reading) kept = null
    })
    return ids
  }
  return read
}

async function readIds(feeds: ProvenRegistry): Promise<ProvenIds | null> {
  const count = await feeds.read(feedRegistryField.count)
  if (count === null || count.value > MAX_IDS) return null
  const ids = await readAll(feeds, count.value, feedRegistryField.id)
  return {
    ids: [count.item, ...ids.map(({ item }) => item)],
    feedIds: new Set(ids.map(({ value }) => value)),
  }
}
