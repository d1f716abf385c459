import { formatLengths } from '../../client/logLengths.ts'
import type { Verification } from '../../client/verification.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { ExportedState } from '../export/dataSet.ts'
import type { ElementFile } from './elementFile.ts'
import { createGarbageCollector } from './garbageCollector.ts'
import { findItem, missingItem } from './provenItems.ts'
import type { ProvenDataSet } from './readDataSet.ts'

/** A complete proof of a data set. */
export interface CompleteProof {
  elements: ElementFile
  dataSet: ProvenDataSet
  stateRootHash: string
}

/** Returns the content of a proof as the reads of an export, which call no node. */
export function provenState(proof: CompleteProof, verification: Verification | null): ExportedState {
  const { feeds } = proof.dataSet
  const byId = new Map(feeds.map((feed) => [feed.feed_id, feed]))
  const collect = createGarbageCollector()
  return {
    stateRootHash: proof.stateRootHash,
    verification,
    getLogLengths: async () => versionOf(proof.dataSet),
    feedCount: async () => feeds.length,
    feedIdAt: async (index) => feeds[index]?.feed_id ?? null,
    getFeed: async (feedId) => byId.get(feedId) ?? null,
    getValueCount: async (feedId) => byId.get(feedId)?.count ?? 0,
    async getValueAt(feedId, index) {
      collect()
      return index < (byId.get(feedId)?.count ?? 0) ? readValue(proof, feedId, index) : null
    },
  }
}

/** Reads a value again that the proof has. */
export function readValue(
  { elements, dataSet, stateRootHash }: CompleteProof,
  feedId: string,
  index: number,
): Attestation {
  const request = dataSet.valueAt(feedId, index)
  const found = findItem(elements, stateRootHash, request)
  if (found === 'absent' || 'missing' in found) throw missingItem(elements, request, found)
  return found.value
}

/** Returns the length of both logs as text. */
export const versionOf = ({ events }: ProvenDataSet): string | null =>
  formatLengths({ feed: events.FeedRegistry, attestation: events.AttestationRegistry })
