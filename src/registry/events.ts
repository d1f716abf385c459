import type { Cursor } from '../bytes/cursor.ts'
import { decodeField, readFields } from '../odra/field.ts'
import { attestedFields } from './attestation.ts'
import type { AttestedValue } from './reading.ts'

/** Event of the FeedRegistry: a feed was registered, or its metadata changed. */
export interface FeedRegistered {
  feedId: string
}

/** Event of the AttestationRegistry: a value was attested and is now the newest of its feed. */
export interface RevenueAttested {
  feedId: string
  /** Index of the value in the feed's history. */
  index: number
  value: AttestedValue
}

const registeredFields = { feed_id: 'text', decimals: 'u8', unit: 'text', source: 'text' } as const

const eventFields = { feed_id: 'text', ...attestedFields, index: 'u64', timestamp: 'time' } as const

/** Decodes an item of the FeedRegistry's event log; returns null for other events. */
export function decodeFeedRegistered(bytes: Uint8Array): FeedRegistered | null {
  return decodeEvent(bytes, 'FeedRegistered', (cursor) => {
    const { feed_id } = readFields(cursor, registeredFields)
    return { feedId: feed_id }
  })
}

/** Decodes an item of the AttestationRegistry's event log; returns null for other events. */
export function decodeRevenueAttested(bytes: Uint8Array): RevenueAttested | null {
  return decodeEvent(bytes, 'RevenueAttested', (cursor) => {
    const { feed_id, index, ...value } = readFields(cursor, eventFields)
    return { feedId: feed_id, index, value }
  })
}

function decodeEvent<T>(bytes: Uint8Array, name: string, read: (cursor: Cursor) => T): T | null {
  const what = `event ${name}`
  return decodeField(bytes, what, (cursor) => {
    if (cursor.string() === `event_${name}`) return read(cursor)
    cursor.rest()
    return null
  })
}
