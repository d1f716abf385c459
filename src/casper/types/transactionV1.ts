import { concatBytes } from '@noble/hashes/utils.js'
import { encodeString, encodeU32, encodeU64 } from '../../bytes/byteWriter.ts'
import { decodeHex, encodeHex } from '../../bytes/hex.ts'
import { encodeBytes } from './calltable.ts'
import { encodeClType } from './clType.ts'
import { formatClValue, type NamedArgument } from './clValue.ts'
import { type Codec, type Described, fields, leaf, plain, struct, variants } from './codec.ts'
import { formatDuration } from './duration.ts'

const fromHex = (digits: string): Uint8Array => decodeHex(digits, 'hex')

export const text = leaf((read) => read.text, encodeString)
export const bytes = leaf((read) => read.bytes, encodeBytes, encodeHex)
export const hash = leaf((read) => read.hash, fromHex)
export const publicKey = leaf((read) => read.publicKey, fromHex)
export const timestamp = leaf<number>(
  (read) => read.timestamp,
  encodeU64,
  (ms) => new Date(ms).toISOString(),
)
export const ttl = leaf<number>((read) => read.duration, encodeU64, formatDuration)
const boolean = leaf(
  (read) => read.boolean,
  (value) => Uint8Array.of(value ? 1 : 0),
)
const accountHash = leaf(
  (read) => read.accountHash,
  fromHex,
  (digits) => `account-hash-${digits}`,
)

const uint = (max: number, encode: (value: number) => Uint8Array): Codec<number> => ({
  parse: (json, what, read) => read.uint(json, what, max),
  format: (value) => value,
  encode: (value) => [encode(value)],
})
const u8 = uint(0xff, (value) => Uint8Array.of(value))
export const u64 = uint(Number.MAX_SAFE_INTEGER, encodeU64)

/** A package's version; null means the newest. */
export const version: Codec<number | null> = {
  isOptional: true,
  parse: (json, what, read) =>
    json === undefined || json === null ? null : read.uint(json, what, 0xffff_ffff),
  format: (value) => value,
  encode: (value) => [value === null ? Uint8Array.of(0) : Uint8Array.of(1, ...encodeU32(value))],
}

/** A `Vec`. */
export function list<T>(item: Codec<T>, name: string): Codec<readonly T[]> {
  return {
    parse: (json, _, read) =>
      read.list(json, name).map((each, index) => item.parse(each, `${name}[${index}]`, read)),
    format: (items) => items.map((each) => item.format(each)),
    encode: (items) => [concatBytes(encodeU32(items.length), ...items.flatMap((each) => item.encode(each)))],
  }
}

/** An argument, whose bytes are preserved. Nobody has signed its `parsed`. */
const argument: Codec<NamedArgument> = {
  parse(json, what, read) {
    const [name, value] = read.pair(json, what)
    const of = read.members(value, what, ['cl_type', 'bytes'], ['parsed'])
    return {
      name: read.text(name, what),
      clType: read.clType(of.cl_type, what),
      bytes: read.bytes(of.bytes, what),
    }
  },
  format: (value) => [value.name, formatClValue(value)],
  encode: (value) => [encodeString(value.name), encodeBytes(value.bytes), encodeClType(value.clType)],
}

export const namedArguments = list(argument, 'args')

/** A signature of a transaction's hash. */
export interface TransactionApproval {
  /** Public key in lower-case hex, prefixed with the algorithm's byte. */
  readonly signer: string
  /** Lower-case hex, prefixed with the algorithm's byte. */
  readonly signature: string
}

const approval: Codec<TransactionApproval> = {
  parse(json, what, read) {
    const of = read.members(json, what, ['signer', 'signature'], [])
    return {
      signer: read.publicKey(of.signer, `${what}.signer`),
      signature: read.signature(of.signature, `${what}.signature`),
    }
  },
  format: ({ signer, signature }) => ({ signer, signature }),
  encode: ({ signer, signature }) => [fromHex(signer), fromHex(signature)],
}

export const approvals = list(approval, 'approvals')

/** A kind that the chain rejects, so nobody needs its bytes. */
const rejected: Codec<unknown> = { parse: (json) => json, format: (json) => json, encode: () => [] }

export const args = variants({ Named: namedArguments, Bytesrepr: bytes }, plain)

const target = variants({
  Native: null,
  Stored: fields({
    id: variants({
      ByHash: hash,
      ByName: text,
      ByPackageHash: fields({ addr: hash, version }),
      ByPackageName: fields({ name: text, version }),
    }),
    runtime: variants({ VmCasperV1: null }),
  }),
  Session: fields(
    { is_install_upgrade: boolean, module_bytes: bytes, runtime: variants({ VmCasperV1: null }) },
    ['is_install_upgrade', 'runtime', 'module_bytes'],
  ),
})

const entryPoint = variants({
  Call: null,
  Custom: text,
  Transfer: null,
  AddBid: null,
  WithdrawBid: null,
  Delegate: null,
  Undelegate: null,
  Redelegate: null,
  ActivateBid: null,
  ChangeBidPublicKey: null,
  AddReservations: null,
  CancelReservations: null,
  Burn: null,
})

const call = fields({ args, entry_point: entryPoint, scheduling: variants({ Standard: null }), target }, [
  'args',
  'target',
  'entry_point',
  'scheduling',
])

/** A transaction's fields, which are not a calltable but a map from `u16` to bytes. */
const fieldMap: typeof call = {
  ...call,
  encode(value) {
    const parts = call.encode(value)
    const entries = parts.flatMap((part, index) => [Uint8Array.of(index, 0), encodeBytes(part)])
    return [concatBytes(encodeU32(parts.length), ...entries)]
  },
}

/** The part of a transaction that its hash covers. */
export const payload = struct({
  initiator_addr: variants({ PublicKey: publicKey, AccountHash: accountHash }),
  timestamp,
  ttl,
  chain_name: text,
  pricing_mode: variants({
    PaymentLimited: fields({ payment_amount: u64, gas_price_tolerance: u8, standard_payment: boolean }),
    Fixed: rejected,
    Prepaid: rejected,
  }),
  fields: fieldMap,
})

/** `TransactionV1` of casper-types 2: the whole structure, for reading and writing it. */
export const transactionV1 = struct({ hash, payload, approvals })

export type Payload = Described<typeof payload>

/** Returns a call's entry point: what fits which target, and its name. */
export function entryPointOf({ entry_point: { kind, value } }: Payload['fields']) {
  if (kind === 'Custom') return { kind: 'custom', name: value } as const
  return kind === 'Call'
    ? ({ kind: 'call', name: 'call' } as const)
    : ({ kind: 'native', name: kind } as const)
}
