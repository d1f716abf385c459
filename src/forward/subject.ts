import { hash } from 'node:crypto'
import type { Message } from './message.ts'

// A protocol line has at most 4,096 bytes; the server closes the connection at a longer one.
const MAX_SUBJECT_ID = 1_000

/**
 * Returns the subject of a message: `wattfeed.attested.EIA.PET.PRICE.WTI.DAILY`. Dots in a feed id separate the tokens of the subject,
 * so that `wattfeed.attested.EIA.PET.>` matches a family. Characters that a subject may not contain are
 * percent-encoded. An id that is too long becomes `%` and its SHA-256.
 */
export function subjectOf(stream: string, { type, feedId }: Pick<Message, 'type' | 'feedId'>): string {
  if (feedId === null) return `${stream}.${type}`
  const encoded = encodeId(feedId)
  return `${stream}.${type}.${encoded.length > MAX_SUBJECT_ID ? `%${hash('sha256', feedId)}` : encoded}`
}

/** Keeps the dots between tokens. An empty id becomes `%`. */
function encodeId(id: string): string {
  const bytes = id.replace(/[^A-Za-z0-9_.-]/gu, percent).replace(/^\.|\.$|(?<=\.)\./g, percent)
  return bytes === '' ? '%' : bytes
}

const percent = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  )
