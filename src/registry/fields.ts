import { encodeString, encodeU64 } from '../bytes/byteWriter.ts'
import { readAddress, readNumber } from '../odra/field.ts'
import { type Attestation, readAttestation } from './attestation.ts'
import { type Feed, readFeed } from './feed.ts'
import { attestationRegistryFields, feedRegistryFields } from './layout.ts'
import type { FieldRequest } from './rootReader.ts'

const feedRegistry = feedRegistryFields
const attestationRegistry = attestationRegistryFields

export const feedRegistryField = {
  owner: { field: feedRegistry.owner, what: 'owner', read: readAddress },
  count: { field: feedRegistry.count, what: 'count', read: readNumber },
  feed: (feedId: string): FieldRequest<Feed> => ({
    field: feedRegistry.feeds,
    key: encodeString(feedId),
    what: `feeds[${feedId}]`,
    read: readFeed,
  }),
  id: (index: number): FieldRequest<string> => ({
    field: feedRegistry.ids,
    key: encodeU64(index),
    what: `ids[${index}]`,
    read: (cursor) => cursor.string(),
  }),
  claimant: (feedId: string): FieldRequest<string> => ({
    field: feedRegistry.feed_attester,
    key: encodeString(feedId),
    what: `feed_attester[${feedId}]`,
    read: readAddress,
  }),
}

export const attestationRegistryField = {
  attester: { field: attestationRegistry.attester, what: 'attester', read: readAddress },
  total: { field: attestationRegistry.total, what: 'total', read: readNumber },
  latest: (feedId: string): FieldRequest<Attestation> => ({
    field: attestationRegistry.latest,
    key: encodeString(feedId),
    what: `latest[${feedId}]`,
    read: readAttestation,
  }),
  history: (feedId: string, index: number): FieldRequest<Attestation> => ({
    field: attestationRegistry.history,
    key: encodeString(`${feedId}#${index}`),
    what: `history[${feedId}#${index}]`,
    read: readAttestation,
  }),
  count: (feedId: string): FieldRequest<number> => ({
    field: attestationRegistry.count,
    key: encodeString(feedId),
    what: `count[${feedId}]`,
    read: readNumber,
  }),
}
