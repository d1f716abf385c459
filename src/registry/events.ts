import type { Cursor } from '../bytes/cursor.ts'
import { decodeField, readNumber } from '../odra/field.ts'
import { U512_BYTES } from './attestation.ts'
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

/** Decodes an item of the FeedRegistry's event log; returns null for other events. */
export function decodeFeedRegistered(bytes: Uint8Array): FeedRegistered | null {
  return decodeEvent(bytes, 'FeedRegistered', (cursor) => {
    const feedId = cursor.string()
    cursor.u8() // decimals
    cursor.string() // unit
    cursor.string() // source
    return { feedId }
  })
}

/** Decodes an item of the AttestationRegistry's event log; returns null for other events. */
export function decodeRevenueAttested(bytes: Uint8Array): RevenueAttested | null {
  return decodeEvent(bytes, 'RevenueAttested', (cursor) => {
    const feedId = cursor.string()
    const period = readNumber(cursor)
    const amount = cursor.bigUint(U512_BYTES)
    const source_hash = cursor.string()
    const index = readNumber(cursor)
    return { feedId, index, value: { period, amount, source_hash, timestamp: readNumber(cursor) } }
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
