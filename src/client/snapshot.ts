import { DecodeError } from '../bytes/cursor.ts'
import { readSequence } from '../casper/readSequence.ts'
import type { Attestation } from '../registry/attestation.ts'
import { createReading, type Reading } from '../registry/reading.ts'
import { attestationRegistryField, feedRegistryField } from './fields.ts'
import type { Live } from './live.ts'
import type { HistoryRange, Reads } from './reads.ts'
import type { Registry } from './registry.ts'
import type { FieldRequest, RootReader } from './rootReader.ts'
import type { Verification } from './verification.ts'

/**
 * All reads at one state root: what they return is true at the same moment of the chain.
 *
 * @example
 * ```ts
 * const at = await client.snapshot()
 * const [value, count] = await Promise.all([at.getValue(id), at.getValueCount(id)]) // never torn
 * ```
 */
export interface Snapshot extends Reads {
  /** The state root hash (hex) that every read of this snapshot is answered from. */
  readonly stateRootHash: string
  /** When the state root was fetched, in epoch milliseconds. */
  readonly fetchedAt: number
  /** What was checked of the block behind it; null where the node is believed. */
  readonly verification: Verification | null
}

export interface SnapshotSource {
  reader: RootReader
  feedRegistry: Registry
  attestationRegistry: Registry
  /** How many reads may be under way at once. */
  concurrency: number
  /** What is known of every feed at the reader's state root, without asking; null where it is not. */
  knownLive: () => Live | null
  /** The same, read where it is not known. */
  live: () => Promise<Live>
}

/** Items of one root are remembered; a flood of made-up ids must not fill the memory. */
const MOST_REMEMBERED_ITEMS = 1_000

/** All that can be read at one state root. Where every feed is known already, nothing is asked. */
export function createReads(source: SnapshotSource): Reads {
  const { feedRegistry, attestationRegistry, reader, concurrency } = source
  const remembered = new Map<string, Promise<unknown>>()

  function read<T>(registry: Registry, request: FieldRequest<T>): Promise<T | null> {
    const name = `${registry.name}.${request.what}`
    const known = remembered.get(name) as Promise<T | null> | undefined
    if (known) return known
    if (remembered.size >= MOST_REMEMBERED_ITEMS) remembered.clear()
    const item = reader.readField(registry, request)
    remembered.set(name, item)
    item.catch(() => {
      remembered.delete(name)
      registry.forget()
    })
    return item
  }

  async function getReading(feedId: string): Promise<Reading | null> {
    const live = source.knownLive()
    if (live) return live.entries.get(feedId)?.reading ?? null
    const [feed, value] = await Promise.all([
      read(feedRegistry, feedRegistryField.feed(feedId)),
      read(attestationRegistry, attestationRegistryField.latest(feedId)),
    ])
    return feed && value ? createReading(feedId, feed, value) : null
  }

  async function getValueCount(feedId: string): Promise<number> {
    return (await read(attestationRegistry, attestationRegistryField.count(feedId))) ?? 0
  }

  async function getValueAt(feedId: string, index: number): Promise<Attestation | null> {
    return read(attestationRegistry, attestationRegistryField.history(feedId, index))
  }

  async function getValueHistory(feedId: string, range: HistoryRange = {}): Promise<Attestation[]> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = range
    const end = Math.min(to, await getValueCount(feedId))
    return readSequence({ from, to: end, concurrency }, (index) => valueThatIsCounted(feedId, index))
  }

  async function valueThatIsCounted(feedId: string, index: number): Promise<Attestation> {
    const request = attestationRegistryField.history(feedId, index)
    const value = await reader.readField(attestationRegistry, request)
    if (value === null) throw new DecodeError(request.what, 'it is counted but not there')
    return value
  }

  async function getClaimant(feedId: string): Promise<string | null> {
    const [feed, claimant] = await Promise.all([
      read(feedRegistry, feedRegistryField.feed(feedId)),
      read(feedRegistry, feedRegistryField.claimant(feedId)),
    ])
    return feed && (claimant ?? read(feedRegistry, feedRegistryField.owner))
  }

  return {
    async getValue(feedId) {
      return read(attestationRegistry, attestationRegistryField.latest(feedId))
    },
    async getFeed(feedId) {
      return read(feedRegistry, feedRegistryField.feed(feedId))
    },
    getReading,
    async feedCount() {
      return source.knownLive()?.entries.size ?? (await read(feedRegistry, feedRegistryField.count)) ?? 0
    },
    async feedIdAt(index) {
      return read(feedRegistry, feedRegistryField.id(index))
    },
    listFeedIds: async () => [...(await source.live()).entries.keys()],
    listReadings: async () => (await source.live()).readings,
    getValueAt,
    getValueCount,
    getValueHistory,
    async totalAttestations() {
      return (await read(attestationRegistry, attestationRegistryField.total)) ?? 0
    },
    async getAttester() {
      const attester = await read(attestationRegistry, attestationRegistryField.attester)
      if (attester === null) throw new DecodeError('AttestationRegistry.attester', 'it is not there')
      return attester
    },
    getClaimant,
  }
}
