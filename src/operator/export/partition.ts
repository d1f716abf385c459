import { hash } from 'node:crypto'

/** Maximum length of a file name on common file systems, in bytes. */
const MAX_NAME_BYTES = 255

const PREFIX = 'feed_id='

/** Values that readers of partitions take as missing. */
const NO_VALUES: ReadonlySet<string> = new Set(['__HIVE_DEFAULT_PARTITION__', 'NULL'])

/** Hex digits of the digest that ends the name of a long id. */
const DIGEST_DIGITS = 32

/**
 * Returns the name of a feed's folder: `feed_id=` and the id, percent-encoded. Only capital letters, digits, `_`, `-` and `.`
 * are not encoded. So ids that differ in case, or in their Unicode composition, have different names on every file system.
 *
 * The name of an id that would be longer than file systems take is cut, and ends in `~` and a digest of the id.
 */
export function partitionOf(feedId: string): string {
  const name = PREFIX + encodeId(feedId)
  if (name.length <= MAX_NAME_BYTES) return name
  const digest = hash('sha256', feedId).slice(0, DIGEST_DIGITS)
  let start = PREFIX
  for (const encoded of [...feedId].map(encodeText)) {
    if (start.length + encoded.length + 1 + DIGEST_DIGITS > MAX_NAME_BYTES) break
    start += encoded
  }
  return `${start}~${digest}`
}

function encodeId(feedId: string): string {
  const isNone = NO_VALUES.has(feedId)
  const encoded = isNone ? encodeByte(feedId.charCodeAt(0)) + feedId.slice(1) : encodeText(feedId)
  // Windows drops a dot at the end of a name.
  return encoded.replace(/\.$/, '%2E')
}

function encodeText(text: string): string {
  const encoded = [...new TextEncoder().encode(text)].map((byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Z0-9._-]/.test(character) ? character : encodeByte(byte)
  })
  return encoded.join('')
}

const encodeByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
