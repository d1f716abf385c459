import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { encodeString, encodeU32, encodeU64 } from '../../bytes/byteWriter.ts'
import { DecodeError } from '../../bytes/cursor.ts'
import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { accountHashOfHex } from './accountHash.ts'
import { encodeBytes, encodeCalltable } from './calltable.ts'
import { encodeClType, parseClType } from './clType.ts'
import type { NamedArgument } from './clValue.ts'
import { parseDuration } from './duration.ts'
import { boolean, type Decode, hash, integer, listOf, publicKey, record, text } from './jsonField.ts'

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

/** A signature of a transaction's hash. */
export interface TransactionApproval {
  /** Public key in lower-case hex, prefixed with the algorithm's byte. */
  readonly signer: string
  /** Lower-case hex, prefixed with the algorithm's byte. */
  readonly signature: string
}

/**
 * Decodes the transaction of `account_put_transaction`, `{ "Version1": … }`, and computes its hash from its fields. It
 * ignores `parsed`, which repeats an argument in words that nobody has signed, and accepts no other redundant field.
 *
 * @throws {DecodeError} if it is another kind of transaction, or its hash is not that of its fields.
 */
export function decodeTransaction(json: unknown): TransactionV1 {
  const [kind, content] = variant(json, 'transaction')
  if (kind !== 'Version1')
    throw new DecodeError('transaction', `unknown kind ${quote(kind)}; only Version1 is supported`)
  const { hash: claimed, payload, approvals } = object(content, 'Version1', ['hash', 'payload', 'approvals'])
  const { bytes, ...fields } = decodePayload(payload)
  const computed = hashOf(bytes)
  if (hash(claimed, 'hash') !== computed)
    throw new DecodeError('transaction', `the content was changed: its hash is ${computed}, not ${claimed}`)
  return { hash: computed, ...fields, approvals: decodeApprovals(approvals) }
}

const hashOf = (bytes: Uint8Array): string => encodeHex(blake2b(bytes, { dkLen: 32 }))

/** A part of a transaction and its `bytesrepr`. */
type Part<T> = T & { bytes: Uint8Array }

const PAYLOAD = ['initiator_addr', 'timestamp', 'ttl', 'chain_name', 'pricing_mode', 'fields'] as const

/** The last time that ISO 8601 writes with four digits of the year. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31)

function decodePayload(json: unknown) {
  const of = object(json, 'payload', PAYLOAD)
  const { bytes: initiatorBytes, ...initiator } = decodeInitiator(of.initiator_addr)
  const timestampMs = decodeTimestamp(of.timestamp)
  const ttlMs = parseDuration(text(of.ttl, 'ttl'))
  if (timestampMs + ttlMs > MAX_TIME_MS)
    throw new DecodeError('ttl', 'the transaction would expire after the year 9999')
  const chainName = wellFormed(of.chain_name, 'chain_name')
  const { bytes: pricingBytes, ...pricing } = decodePricing(of.pricing_mode)
  const { bytes: fieldBytes, ...fields } = decodeFields(of.fields)
  const bytes = encodeCalltable([
    initiatorBytes,
    encodeU64(timestampMs),
    encodeU64(ttlMs),
    encodeString(chainName),
    pricingBytes,
    fieldBytes,
  ])
  return { initiator, timestampMs, ttlMs, chainName, ...pricing, ...fields, bytes }
}

function decodeInitiator(json: unknown): Part<TransactionV1['initiator']> {
  const [kind, content] = variant(json, 'initiator_addr')
  if (kind === 'PublicKey') {
    const hex = userKey(content, 'PublicKey')
    const bytes = encodeCalltable([tag(0), decodeHex(hex, 'PublicKey')])
    return { publicKey: hex, accountHash: accountHashOfHex(hex), bytes }
  }
  const [, digits] = /^account-hash-([0-9a-f]{64})$/.exec(text(content, kind)) ?? []
  if (kind !== 'AccountHash' || digits === undefined)
    throw new DecodeError('initiator_addr', 'expected a PublicKey or an AccountHash')
  const accountHash = decodeHex(digits, 'AccountHash')
  return { publicKey: null, accountHash, bytes: encodeCalltable([tag(1), accountHash]) }
}

/** A public key of a person, not the system's. */
const userKey: Decode<string> = (value, what) => {
  const hex = publicKey(value, what)
  if (hex === '00') throw new DecodeError(what, 'expected the public key of a user, got that of the system')
  return hex
}

function decodeTimestamp(value: unknown): number {
  const iso = text(value, 'timestamp')
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(iso)
  const timestampMs = isIso ? Date.parse(iso) : Number.NaN
  // Date.parse accepts February 30.
  if (timestampMs >= 0 && new Date(timestampMs).toISOString().startsWith(iso.slice(0, 19))) return timestampMs
  throw new DecodeError('timestamp', 'expected a time such as 2026-01-31T12:00:00.000Z')
}

const PRICING = ['payment_amount', 'gas_price_tolerance', 'standard_payment'] as const

function decodePricing(json: unknown) {
  const [kind, content] = variant(json, 'pricing_mode')
  if (kind !== 'PaymentLimited')
    throw new DecodeError('pricing_mode', `${quote(kind)} is not supported, only PaymentLimited`)
  const of = object(content, kind, PRICING)
  const paymentMotes = BigInt(integer(of.payment_amount, 'payment_amount'))
  const gasPriceTolerance = integer(of.gas_price_tolerance, 'gas_price_tolerance')
  if (gasPriceTolerance > 255) throw new DecodeError('gas_price_tolerance', 'exceeds 255')
  if (!boolean(of.standard_payment, 'standard_payment'))
    throw new DecodeError('standard_payment', 'only standard payment is supported')
  const bytes = encodeCalltable([tag(0), encodeU64(paymentMotes), tag(gasPriceTolerance), tag(1)])
  return { paymentMotes, gasPriceTolerance, bytes }
}

const FIELDS = ['args', 'target', 'entry_point', 'scheduling'] as const

function decodeFields(json: unknown) {
  const of = object(json, 'fields', FIELDS)
  const args = decodeArguments(of.args)
  const entry = decodeEntryPoint(of.entry_point)
  const target = decodeTarget(of.target)
  if (entry.kind !== entryPointKinds[target.target.kind])
    throw new DecodeError('entry_point', `${quote(entry.name)} does not fit the target`)
  if (of.scheduling !== 'Standard') throw new DecodeError('scheduling', 'expected Standard')
  const parts = [args.bytes, target.bytes, entry.bytes, encodeCalltable([tag(0)])]
  return {
    target: target.target,
    entryPoint: entry.name,
    args: args.args,
    bytes: concatBytes(
      encodeU32(parts.length),
      ...parts.flatMap((bytes, index) => [Uint8Array.of(index, 0), encodeBytes(bytes)]),
    ),
  }
}

function decodeArguments(json: unknown): Part<{ args: NamedArgument[] }> {
  const [kind, content] = variant(json, 'args')
  if (kind !== 'Named') throw new DecodeError('args', `${quote(kind)} is not supported, only Named`)
  const args = listOf(decodeArgument)(content, 'args')
  const repeated = args.find(({ name }, index) => args.findIndex((each) => each.name === name) !== index)
  if (repeated) throw new DecodeError('args', `duplicate argument ${quote(repeated.name)}`)
  const encoded = args.flatMap(({ name, bytes, clType }) => [
    encodeString(name),
    encodeBytes(bytes),
    encodeClType(clType),
  ])
  return { args, bytes: concatBytes(tag(0), encodeU32(args.length), ...encoded) }
}

const decodeArgument: Decode<NamedArgument> = (json, what) => {
  const [name, value, ...others] = Array.isArray(json) ? json : []
  if (others.length > 0) throw new DecodeError(what, 'expected a pair of a name and a value')
  const of = object(value, what, ['cl_type', 'bytes'], ['parsed'])
  return {
    name: wellFormed(name, what),
    clType: parseClType(of.cl_type),
    bytes: decodeHex(text(of.bytes, 'bytes'), what),
  }
}

/** A text that has exactly one encoding in UTF-8. */
const wellFormed: Decode<string> = (value, what) => {
  if (text(value, what).isWellFormed()) return text(value, what)
  throw new DecodeError(what, 'text has a lone surrogate')
}

/** Native entry points, in the order of their tags. */
const natives = [
  'Transfer',
  'AddBid',
  'WithdrawBid',
  'Delegate',
  'Undelegate',
  'Redelegate',
  'ActivateBid',
  'ChangeBidPublicKey',
  'AddReservations',
  'CancelReservations',
  'Burn',
]
const FIRST_NATIVE = 2

const entryPointKinds: Readonly<Record<TransactionTarget['kind'], 'native' | 'call' | 'custom'>> = {
  native: 'native',
  session: 'call',
  contract: 'custom',
  package: 'custom',
  name: 'custom',
  packageName: 'custom',
}

function decodeEntryPoint(json: unknown): Part<{ kind: 'native' | 'call' | 'custom'; name: string }> {
  if (json === 'Call') return { kind: 'call', name: 'call', bytes: encodeCalltable([tag(0)]) }
  if (typeof json === 'string' && natives.includes(json))
    return { kind: 'native', name: json, bytes: encodeCalltable([tag(FIRST_NATIVE + natives.indexOf(json))]) }
  const [kind, content] = variant(json, 'entry_point')
  if (kind !== 'Custom') throw new DecodeError('entry_point', `unknown kind ${quote(kind)}`)
  const name = wellFormed(content, 'entry_point')
  return { kind: 'custom', name, bytes: encodeCalltable([tag(1), encodeString(name)]) }
}

function decodeTarget(json: unknown): Part<{ target: TransactionTarget }> {
  if (json === 'Native') return { target: { kind: 'native' }, bytes: encodeCalltable([tag(0)]) }
  const [kind, content] = variant(json, 'target')
  if (kind === 'Stored') {
    const { id, runtime } = object(content, kind, ['id', 'runtime'])
    const { target, bytes } = decodeInvocation(id)
    return { target, bytes: encodeCalltable([tag(1), bytes, runtimeBytes(runtime)]) }
  }
  if (kind !== 'Session') throw new DecodeError('target', `unknown kind ${quote(kind)}`)
  const of = object(content, kind, ['module_bytes', 'runtime', 'is_install_upgrade'])
  const wasm = decodeHex(text(of.module_bytes, 'module_bytes'), 'module_bytes')
  const isInstallOrUpgrade = boolean(of.is_install_upgrade, 'is_install_upgrade')
  const bytes = [tag(2), tag(isInstallOrUpgrade ? 1 : 0), runtimeBytes(of.runtime), encodeBytes(wasm)]
  return { target: { kind: 'session', wasm, isInstallOrUpgrade }, bytes: encodeCalltable(bytes) }
}

function runtimeBytes(json: unknown): Uint8Array {
  if (json !== 'VmCasperV1') throw new DecodeError('runtime', 'expected VmCasperV1')
  return encodeCalltable([tag(0)])
}

function decodeInvocation(json: unknown): Part<{ target: TransactionTarget }> {
  const [kind, content] = variant(json, 'id')
  switch (kind) {
    case 'ByHash': {
      const contractHash = hash(content, kind)
      const bytes = encodeCalltable([tag(0), decodeHex(contractHash, kind)])
      return { target: { kind: 'contract', contractHash }, bytes }
    }
    case 'ByName': {
      const name = wellFormed(content, kind)
      return { target: { kind: 'name', name }, bytes: encodeCalltable([tag(1), encodeString(name)]) }
    }
    case 'ByPackageHash': {
      const of = object(content, kind, ['addr'], ['version'])
      const packageHash = hash(of.addr, 'addr')
      const { version, bytes } = decodeVersion(of.version)
      const encoded = encodeCalltable([tag(2), decodeHex(packageHash, 'addr'), bytes])
      return { target: { kind: 'package', packageHash, version }, bytes: encoded }
    }
    case 'ByPackageName': {
      const of = object(content, kind, ['name'], ['version'])
      const name = wellFormed(of.name, 'name')
      const { version, bytes } = decodeVersion(of.version)
      const encoded = encodeCalltable([tag(3), encodeString(name), bytes])
      return { target: { kind: 'packageName', name, version }, bytes: encoded }
    }
    default:
      throw new DecodeError('id', `unknown kind ${quote(kind)}`)
  }
}

/** A package's version; null means the newest. */
function decodeVersion(json: unknown): Part<{ version: number | null }> {
  if (json === undefined || json === null) return { version: null, bytes: tag(0) }
  const version = integer(json, 'version')
  if (version >= 2 ** 32) throw new DecodeError('version', 'exceeds 32 bits')
  return { version, bytes: concatBytes(tag(1), encodeU32(version)) }
}

function decodeApprovals(json: unknown): TransactionApproval[] {
  const approvals = listOf(decodeApproval)(json, 'approvals')
  const repeated = approvals.find(
    ({ signer }, index) => approvals.findIndex((each) => each.signer === signer) !== index,
  )
  if (repeated) throw new DecodeError('approvals', `duplicate approval of key ${repeated.signer}`)
  return approvals
}

const decodeApproval: Decode<TransactionApproval> = (json, what) => {
  const of = object(json, what, ['signer', 'signature'])
  const signer = userKey(of.signer, `${what}.signer`)
  const signature = text(of.signature, `${what}.signature`).toLowerCase()
  if (/^[0-9a-f]{130}$/.test(signature) && signature.startsWith(signer.slice(0, 2)))
    return { signer, signature }
  throw new DecodeError(`${what}.signature`, "expected a signature of the key's algorithm: 65 bytes in hex")
}

const tag = (value: number): Uint8Array => Uint8Array.of(value)

/** Returns the name and the content of a Rust enum's variant: an object with one member, or a text. */
function variant(json: unknown, what: string): [string, unknown] {
  const [first, second] =
    typeof json === 'string' ? [[json, undefined] as const] : Object.entries(record(json, what))
  if (first === undefined || second !== undefined) throw new DecodeError(what, 'expected exactly one kind')
  return [first[0], first[1]]
}

/** Returns an object that has no other fields than these. */
function object<N extends string>(
  json: unknown,
  what: string,
  required: readonly N[],
  optional: readonly string[] = [],
): Record<N | string, unknown> {
  const found = record(json, what)
  const missing = required.find((name) => found[name] === undefined)
  if (missing !== undefined) throw new DecodeError(what, `missing field "${missing}"`)
  const names: readonly string[] = [...required, ...optional]
  const unknown = Object.keys(found).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new DecodeError(what, `unknown field ${quote(unknown)}`)
  return found
}

/** Quotes untrusted text, shortened. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 100))
