import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'

/** Reads a `Key` of an account or a contract and formats it: `account-hash-…` or `hash-…`. */
export function readAddress(cursor: Cursor): string {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('Address', `unknown tag ${tag}; expected 0 (account) or 1 (contract)`)
  return `${tag === 0 ? 'account-hash' : 'hash'}-${encodeHex(cursor.bytes(32))}`
}
