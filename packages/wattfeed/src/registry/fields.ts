import { type Cursor, encodeString, encodeU64 } from '@wattfeed/base'
import { readAddress, readNumber } from '@wattfeed/casper'
import { type Attestation, readAttestation } from './attestation.ts'
import { readFeedStruct } from './feed.ts'
import { attestationRegistryFields, feedRegistryFields } from './layout.ts'
import type { FieldRequest } from './rootReader.ts'

/** Creates a function that returns the request for a feed's entry in a mapping. */
const ofFeed =
  <T>(field: number, name: string, read: (cursor: Cursor) => T) =>
  (feedId: string): FieldRequest<T> => ({
    field,
    key: encodeString(feedId),
    what: `${name}[${feedId}]`,
    read,
  })

/** The requests for the fields of the FeedRegistry. */
export const feedRegistryField = {
  owner: { field: feedRegistryFields.owner, what: 'owner', read: readAddress },
  count: { field: feedRegistryFields.count, what: 'count', read: readNumber },
  feed: ofFeed(feedRegistryFields.feeds, 'feeds', readFeedStruct),
  id: (index: number): FieldRequest<string> => ({
    field: feedRegistryFields.ids,
    key: encodeU64(index),
    what: `ids[${index}]`,
    read: (cursor) => cursor.string(),
  }),
  claimant: ofFeed(feedRegistryFields.feed_attester, 'feed_attester', readAddress),
}

/** The requests for the fields of the AttestationRegistry. */
export const attestationRegistryField = {
  attester: { field: attestationRegistryFields.attester, what: 'attester', read: readAddress },
  total: { field: attestationRegistryFields.total, what: 'total', read: readNumber },
  latest: ofFeed(attestationRegistryFields.latest, 'latest', readAttestation),
  history: (feedId: string, index: number): FieldRequest<Attestation> => ({
    field: attestationRegistryFields.history,
    key: encodeString(`${feedId}#${index}`),
    what: `history[${feedId}#${index}]`,
    read: readAttestation,
  }),
  count: ofFeed(attestationRegistryFields.count, 'count', readNumber),
}
