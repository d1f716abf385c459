import { encodeString, encodeU64 } from '../bytes/byteWriter.ts'
import { readAddress, readNumber } from '../odra/field.ts'
import { type Attestation, readAttestation } from './attestation.ts'
import { type Feed, readFeed } from './feed.ts'
import { attestationRegistryFields, feedRegistryFields } from './layout.ts'
import type { FieldRequest } from './rootReader.ts'

export const feedRegistryField = {
  owner: { field: feedRegistryFields.owner, what: 'owner', read: readAddress },
  count: { field: feedRegistryFields.count, what: 'count', read: readNumber },
  feed: (feedId: string): FieldRequest<Feed> => ({
    field: feedRegistryFields.feeds,
    key: encodeString(feedId),
    what: `feeds[${feedId}]`,
    read: readFeed,
  }),
  id: (index: number): FieldRequest<string> => ({
    field: feedRegistryFields.ids,
    key: encodeU64(index),
    what: `ids[${index}]`,
    read: (cursor) => cursor.string(),
  }),
  claimant: (feedId: string): FieldRequest<string> => ({
    field: feedRegistryFields.feed_attester,
    key: encodeString(feedId),
    what: `feed_attester[${feedId}]`,
    read: readAddress,
  }),
}

export const attestationRegistryField = {
  attester: { field: attestationRegistryFields.attester, what: 'attester', read: readAddress },
  total: { field: attestationRegistryFields.total, what: 'total', read: readNumber },
  latest: (feedId: string): FieldRequest<Attestation> => ({
    field: attestationRegistryFields.latest,
    key: encodeString(feedId),
    what: `latest[${feedId}]`,
    read: readAttestation,
  }),
  history: (feedId: string, index: number): FieldRequest<Attestation> => ({
    field: attestationRegistryFields.history,
    key: encodeString(`${feedId}#${index}`),
    what: `history[${feedId}#${index}]`,
    read: readAttestation,
  }),
  count: (feedId: string): FieldRequest<number> => ({
    field: attestationRegistryFields.count,
    key: encodeString(feedId),
    what: `count[${feedId}]`,
    read: readNumber,
  }),
}
