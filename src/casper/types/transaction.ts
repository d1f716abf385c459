import { blake2b } from '@noble/hashes/blake2.js'
import { DecodeError } from '../../bytes/cursor.ts'
import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { accountHashOfHex, parseAccountHash } from './accountHash.ts'
import { parseClType } from './clType.ts'
import type { NamedArgument } from './clValue.ts'
import { encodeAs, type JsonReader, optionalMembers } from './codec.ts'
import { parseDuration } from './duration.ts'
import { boolean, byte, hash, integer, listOf, publicKey, record, text } from './jsonField.ts'
import {
  entryPointName,
  fittingTarget,
  type Payload,
  payload,
  type TransactionApproval,
  transactionV1,
} from './transactionV1.ts'

/** A decoded transaction of version 1. Its hash is the hash of exactly these fields, without the approvals. */
export interface TransactionV1 {
  /** 64 hex digits: the message that the approvals sign. */
  readonly hash: string
  readonly initiator: {
    /** Hex, prefixed with the algorithm's byte; null if the transaction names only the account hash. */
    readonly publicKey: string | null
    readonly accountHash: Uint8Array
  }
  readonly chainName: string
  readonly timestampMs: number
  readonly ttlMs: number
  readonly paymentMotes: bigint
  readonly gasPriceTolerance: number
  readonly target: TransactionTarget
  /** A native transaction's kind, `call` of session code, or the name of a contract's entry point. */
  readonly entryPoint: string
  readonly args: readonly NamedArgument[]
  /** One for each key. The signatures are not verified. */
  readonly approvals: readonly TransactionApproval[]
}

export type TransactionTarget =
  | { readonly kind: 'native' }
  | { readonly kind: 'session'; readonly wasm: Uint8Array; readonly isInstallOrUpgrade: boolean }
  | { readonly kind: 'contract'; readonly contractHash: string }
  | { readonly kind: 'package'; readonly packageHash: string; readonly version: number | null }
  /** A contract or package under a named key of the account. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'packageName'; readonly name: string; readonly version: number | null }

/**
 * Decodes the transaction of `account_put_transaction`, `{ "Version1": … }`, and computes its hash from its fields. It
 * ignores `parsed`, which repeats an argument in words that nobody has signed, and accepts no other redundant field.
 *
 * @throws {DecodeError} if it is another kind of transaction, or its hash is not that of its fields.
 */
export function decodeTransaction(json: unknown): TransactionV1 {
  const { name: kind, content } = strict.variant(json, 'transaction', { Version1: transactionV1 })
  const signed = transactionV1.parse(content, kind, strict)
  const decoded = decodePayload(signed.payload)
  const computed = encodeHex(blake2b(encodeAs(payload, signed.payload), { dkLen: 32 }))
  if (signed.hash !== computed)
    throw new DecodeError(
      'transaction',
      `the content was changed: its hash is ${computed}, not ${signed.hash}`,
    )
  const repeated = findRepeated(signed.approvals, ({ signer }) => signer)
  if (repeated) throw new DecodeError('approvals', `duplicate approval of key ${repeated.signer}`)
  return { hash: computed, ...decoded, approvals: signed.approvals }
}

/** The last time that ISO 8601 writes with four digits of the year. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31)

function decodePayload({ initiator_addr, timestamp, ttl, chain_name, pricing_mode, fields }: Payload) {
  if (timestamp + ttl > MAX_TIME_MS)
    throw new DecodeError('ttl', 'the transaction would expire after the year 9999')
  if (pricing_mode.kind !== 'PaymentLimited') throw wrongKind('pricing_mode', pricing_mode.kind)
  const { payment_amount, gas_price_tolerance, standard_payment } = pricing_mode.value
  const { kind, value } = initiator_addr
  if (!standard_payment) throw new DecodeError('standard_payment', 'only standard payment is supported')
  return {
    initiator: {
      publicKey: kind === 'PublicKey' ? value : null,
      accountHash: kind === 'PublicKey' ? accountHashOfHex(value) : decodeHex(value, kind),
    },
    timestampMs: timestamp,
    ttlMs: ttl,
    chainName: chain_name,
    paymentMotes: BigInt(payment_amount),
    gasPriceTolerance: gas_price_tolerance,
    ...decodeCall(fields),
  }
}

function decodeCall(fields: Payload['fields']) {
  const { args, target } = fields
  if (args.kind !== 'Named') throw wrongKind('args', args.kind)
  const repeated = findRepeated(args.value, ({ name }) => name)
  if (repeated) throw new DecodeError('args', `duplicate argument ${quote(repeated.name)}`)
  const name = entryPointName(fields)
  if (target.kind !== fittingTarget(fields))
    throw new DecodeError('entry_point', `${quote(name)} does not fit the target`)
  return { target: decodeTarget(target), entryPoint: name, args: args.value }
}

function decodeTarget({ kind, value }: Payload['fields']['target']): TransactionTarget {
  if (kind === 'Native') return { kind: 'native' }
  if (kind === 'Session')
    return { kind: 'session', wasm: value.module_bytes, isInstallOrUpgrade: value.is_install_upgrade }
  const { id } = value
  switch (id.kind) {
    case 'ByHash':
      return { kind: 'contract', contractHash: id.value }
    case 'ByName':
      return { kind: 'name', name: id.value }
    case 'ByPackageHash':
      return { kind: 'package', packageHash: id.value.addr, version: id.value.version }
    case 'ByPackageName':
      return { kind: 'packageName', ...id.value }
  }
}

const findRepeated = <T>(items: readonly T[], nameOf: (item: T) => string): T | undefined =>
  items.find((item, index) => items.findIndex((each) => nameOf(each) === nameOf(item)) !== index)

/** Accepts exactly one spelling, in which every member is known. */
const strict: JsonReader = {
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
    throw wrongKind('initiator_addr', 'AccountHash')
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

function wrongKind(what: string, kind: string, kinds: readonly string[] = []): DecodeError {
  const quoted = quote(kind)
  const rules: Readonly<Record<string, string>> = {
    transaction: `unknown kind ${quoted}; only Version1 is supported`,
    initiator_addr: 'expected a PublicKey or an AccountHash',
    pricing_mode: `${quoted} is not supported, only PaymentLimited`,
    args: `${quoted} is not supported, only Named`,
  }
  const rule = kinds.length === 1 ? `expected ${kinds[0]}` : `unknown kind ${quoted}`
  return new DecodeError(what, rules[what] ?? rule)
}

/** Quotes untrusted text, shortened. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 100))
