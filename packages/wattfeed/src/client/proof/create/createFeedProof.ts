import type { AbsenceEvidenceFinder } from '@wattfeed/casper'
import { attestationRegistryField } from '../../../registry/fields.ts'
import { createReading, readingToJson } from '../../../registry/reading.ts'
import type { FieldRequest } from '../../../registry/rootReader.ts'
import type { ReadOptions } from '../../reads.ts'
import type { FeedProof, FeedProofBlock } from '../feedProof.ts'
import {
  type ProvenField,
  type ProvenRegistry,
  type RegistriesRead,
  readRegistry,
} from '../provenRegistry.ts'
import { createAttesterProof } from './createAttesterProof.ts'
import { requestsOfReading } from './registryItems.ts'

/** Options of {@link Client.getFeedAbsence}. */
export interface FeedAbsenceOptions extends ReadOptions {
  /**
   * Hash of a switch block that the verifier trusts: 64 hex digits, at most 1,000 eras ago.
   * @default null, which includes only the last switch block
   */
  from?: string | null
}

/** Options of {@link Client.getFeedProof}. */
export interface FeedProofOptions extends FeedAbsenceOptions {
  /**
   * Index of the value in the feed's history, from 0.
   * @default null, which is the newest value
   */
  index?: number | null
  /**
   * Whether the proof includes who may attest to the feed, with the keys of that account.
   * @default false
   */
  attester?: boolean
}

export interface ProofRequest extends RegistriesRead {
  block: FeedProofBlock
  switchBlocks: readonly FeedProofBlock[]
}

export interface FeedProofRequest extends ProofRequest {
  feedId: string
  /** Index of the value; null for the newest. */
  index: number | null
  isAttesterIncluded: boolean
  evidence: AbsenceEvidenceFinder
  /** The items that are known to be on chain. A node that reports one as absent is wrong. */
  known: KnownOfFeed
}

/** The facts about a feed that follow from the event logs. */
export interface KnownOfFeed {
  readonly isListed: boolean
  readonly hasValue: boolean
}

/** Reads a feed with all its proofs at one state root. Returns null if it is not registered or has no such value. */
export async function createFeedProof(request: FeedProofRequest): Promise<FeedProof | null> {
  const { feedId, index, isAttesterIncluded, known, registries, block, switchBlocks } = request
  const fields = requestsOfReading(feedId, index)
  const [feed, latest] = await Promise.all([
    readRegistry(request, 'FeedRegistry', known.isListed).then(async (registry) => ({
      ...registry,
      field: await registry.read(fields.FeedRegistry, { isThere: known.isListed }),
    })),
    readRegistry(request, 'AttestationRegistry', known.isListed).then(async (registry) => ({
      ...registry,
      ...(await readValue(request, registry, fields.AttestationRegistry)),
    })),
  ])
  if (feed.field === null || latest.value === null || latest.count === null) return null
  const reading = createReading(feedId, feed.field.value, latest.value.value)
  const attester = isAttesterIncluded ? { attester: await createAttesterProof(request, feed) } : {}
  return {
    format: 2,
    reading: readingToJson(reading),
    ...(index === null ? {} : { index }),
    count: latest.count.value,
    registries,
    items: [...feed.items, feed.field.item, ...latest.items, latest.value.item, latest.count.item],
    ...attester,
    block,
    switch_blocks: switchBlocks,
  }
}

/** Reads a value and the number of values. The value is null if the feed has none at this index, and its count agrees. */
async function readValue<T>(
  { feedId, index, known }: FeedProofRequest,
  { read }: ProvenRegistry,
  field: FieldRequest<T>,
): Promise<{ value: ProvenField<T> | null; count: ProvenField<number> | null }> {
  const [value, count] = await Promise.all([
    read(field, { isThere: known.hasValue && index === null }),
    read(attestationRegistryField.count(feedId), { isThere: known.hasValue }),
  ])
  const isCounted = (index ?? 0) < (count?.value ?? 0)
  return { value: value === null && isCounted ? await read(field, { isThere: true }) : value, count }
}
