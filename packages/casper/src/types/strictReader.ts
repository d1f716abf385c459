import { DecodeError, decodeHex, encodeHex } from '@wattfeed/base'
import { parseAccountHash } from './accountHash.ts'
import { parseClType } from './clType.ts'
import { type JsonReader, optionalMembers } from './codec.ts'
import { parseDuration } from './duration.ts'
import { boolean, byte, hash, integer, listOf, publicKey, record, text } from './jsonField.ts'

/** Reads a transaction for a client. Accepts exactly one spelling, in which every member is known. */
export const strictReader: JsonReader = {
  boolean,
  u8: byte,
  u32(json, what) {
    if (integer(json, what) <= 0xffff_ffff) return integer(json, what)
    throw new DecodeError(what, 'exceeds 32 bits')
  },
  u64: integer,
  hash,
  bytes: (json, what) => decodeHex(text(json, what), what),
  text(json, what) {
    if (text(json, what).isWellFormed()) return text(json, what)
    throw new DecodeError(what, 'text has a lone surrogate')
  },
  publicKey(json, what) {
    const hex = publicKey(json, what)
    if (hex === '00') throw new DecodeError(what, 'expected the public key of a user, got that of the system')
    return hex
  },
  signature(json, what, signer) {
    const signature = text(json, what).toLowerCase()
    if (/^[0-9a-f]{130}$/.test(signature) && signature.startsWith(signer.slice(0, 2))) return signature
    throw new DecodeError(what, "expected a signature of the key's algorithm: 65 bytes in hex")
  },
  accountHash(json, what) {
    const hash = parseAccountHash(text(json, what))
    if (hash !== null) return encodeHex(hash)
    throw new DecodeError(what, 'expected an account hash')
  },
  timestamp(json, what) {
    const iso = text(json, what)
    const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(iso)
    const timestampMs = isIso ? Date.parse(iso) : Number.NaN
    // Date.parse accepts February 30.
    if (timestampMs >= 0 && new Date(timestampMs).toISOString().startsWith(iso.slice(0, 19)))
      return timestampMs
    throw new DecodeError(what, 'expected a time such as 2026-01-31T12:00:00.000Z')
  },
  duration: (json, what) => parseDuration(text(json, what)),
  clType: (json) => parseClType(json),
  list: listOf((item) => item),
  pair(json, what) {
    const list = Array.isArray(json) ? json : []
    if (list.length <= 2) return list
    throw new DecodeError(what, 'expected a pair of a name and a value')
  },
  members(json, what, names) {
    const found = record(json, what)
    const missing = names.find((name) => found[name] === undefined && !optionalMembers.includes(name))
    if (missing !== undefined) throw new DecodeError(what, `missing field "${missing}"`)
    const unknown = Object.keys(found).find((name) => !names.includes(name))
    if (unknown !== undefined) throw new DecodeError(what, `unknown field ${quote(unknown)}`)
    return found
  },
  variant(json, what, kinds) {
    const [first, second] =
      typeof json === 'string' ? [[json, undefined] as const] : Object.entries(record(json, what))
    if (first === undefined || second !== undefined) throw new DecodeError(what, 'expected exactly one kind')
    const [name, content] = first
    const isKnown = Object.hasOwn(kinds, name) && (kinds[name] === null) === (typeof json === 'string')
    if (isKnown) return { name, content }
    throw wrongKind(what, name, Object.keys(kinds))
  },
}

export function wrongKind(what: string, kind: string, kinds: readonly string[] = []): DecodeError {
  const quoted = quote(kind)
  const rules: Readonly<Record<string, string>> = {
    transaction: `unknown kind ${quoted}; only Version1 is supported`,
    initiator_addr: `unknown kind ${quoted}; expected a PublicKey or an AccountHash`,
    pricing_mode: `${quoted} is not supported, only PaymentLimited`,
    args: `${quoted} is not supported, only Named`,
  }
  const rule = kinds.length === 1 ? `; expected ${kinds[0]}` : ''
  return new DecodeError(what, rules[what] ?? `unknown kind ${quoted}${rule}`)
}

/** Quotes untrusted text, shortened. */
export const quote = (name: string): string => JSON.stringify(name.slice(0, 100))
