import { concatBytes } from '@noble/hashes/utils.js'
import { decodeHex, encodeString, encodeU32, encodeU64 } from '@wattfeed/base'
import { encodeClType } from './clType.ts'
import type { NamedArgument } from './clValue.ts'
import { type Codec, type Described, encodeBytes, fields, leaf, plain, struct, variants } from './codec.ts'

const fromHex = (digits: string): Uint8Array => decodeHex(digits, 'hex')

/** A text. */
export const text = leaf('text', encodeString)
/** Bytes, in JSON as hex. */
export const bytes = leaf('bytes', encodeBytes)
/** A hash of 32 bytes, in JSON as hex. */
export const hash = leaf('hash', fromHex)
/** A public key, in JSON as hex with the algorithm's byte. */
export const publicKey = leaf('publicKey', fromHex)
/** A time in epoch milliseconds, in JSON as ISO 8601. */
export const timestamp = leaf('timestamp', encodeU64)
/** A time to live in milliseconds, in JSON as text: `30m`. */
export const ttl = leaf('duration', encodeU64)
/** An unsigned number of 64 bits. */
export const u64 = leaf('u64', encodeU64)
const byte = (value: number | boolean): Uint8Array => Uint8Array.of(Number(value))
const boolean = leaf('boolean', byte)

/** A package's version; null means the newest. */
export const version: Codec<number | null> = {
  parse: (json, what, read) => (json === undefined || json === null ? null : read.u32(json, what)),
  encode: (value) => [value === null ? Uint8Array.of(0) : Uint8Array.of(1, ...encodeU32(value))],
}

/** The major protocol version of a package's version, which is a field of its own; it is missing for any protocol. */
const protocol_version_major: Codec<number | undefined> = {
  parse: (json, what, read) => version.parse(json, what, read) ?? undefined,
  encode: (value) => (value === undefined ? [] : [encodeU32(value)]),
}

/** A `Vec`. */
export function list<T>(item: Codec<T>, name: string): Codec<readonly T[]> {
  return {
    parse: (json, _, read) =>
      read.list(json, name).map((each, index) => item.parse(each, `${name}[${index}]`, read)),
    encode: (items) => [concatBytes(encodeU32(items.length), ...items.flatMap((each) => item.encode(each)))],
  }
}

/** An argument, whose bytes are preserved. Nobody has signed its `parsed`. */
const argument: Codec<NamedArgument> = {
  parse(json, what, read) {
    const [name, value] = read.pair(json, what)
    const of = read.members(value, what, ['cl_type', 'bytes', 'parsed'])
    return {
      name: read.text(name, what),
      clType: read.clType(of.cl_type, what),
      bytes: read.bytes(of.bytes, what),
    }
  },
  encode: (value) => [encodeString(value.name), encodeBytes(value.bytes), encodeClType(value.clType)],
}

/** Arguments with their names, in the order of the call. */
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
    const of = read.members(json, what, ['signer', 'signature'])
    const signer = read.publicKey(of.signer, `${what}.signer`)
    return { signer, signature: read.signature(of.signature, `${what}.signature`, signer) }
  },
  encode: ({ signer, signature }) => [fromHex(signer), fromHex(signature)],
}

/** The signatures of a transaction. */
export const approvals = list(approval, 'approvals')

/** A kind that the chain rejects, so nobody needs its bytes. */
const rejected: Codec<unknown> = { parse: (json) => json, encode: () => [] }

/** The arguments of a transaction: named, or as bytes. */
export const args = variants({ Named: namedArguments, Bytesrepr: bytes }, plain)

const target = variants({
  Native: null,
  Stored: fields({
    id: variants({
      ByHash: hash,
      ByName: text,
      ByPackageHash: fields({ addr: hash, version, protocol_version_major }),
      ByPackageName: fields({ name: text, version, protocol_version_major }),
    }),
    runtime: variants({ VmCasperV1: null }),
  }),
  Session: fields({
    is_install_upgrade: boolean,
    runtime: variants({ VmCasperV1: null }),
    module_bytes: bytes,
  }),
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

/** A map from `u16` to bytes. */
const encodeMap = (parts: readonly Uint8Array[]): Uint8Array =>
  concatBytes(
    encodeU32(parts.length),
    ...parts.flatMap((part, index) => [Uint8Array.of(index, 0), encodeBytes(part)]),
  )

/** Who sends a transaction. */
export const initiatorAddr = variants({
  PublicKey: publicKey,
  AccountHash: leaf('accountHash', fromHex),
})

/** The part of a transaction that its hash covers. */
export const payload = struct({
  initiator_addr: initiatorAddr,
  timestamp,
  ttl,
  chain_name: text,
  pricing_mode: variants({
    PaymentLimited: fields({
      payment_amount: u64,
      gas_price_tolerance: leaf('u8', byte),
      standard_payment: boolean,
    }),
    Fixed: rejected,
    Prepaid: rejected,
  }),
  fields: struct(
    { args, target, entry_point: entryPoint, scheduling: variants({ Standard: null }) },
    encodeMap,
  ),
})

/** `TransactionV1` of casper-types 2: the whole structure, for reading and writing it. */
export const transactionV1 = struct({ hash, payload, approvals })

/** What the hash of a transaction covers. */
export type Payload = Described<typeof payload>

/** Returns the name of a call's entry point, which is a kind unless it is custom. */
export const entryPointName = ({ entry_point: { kind, value } }: Payload['fields']): string =>
  value ?? (kind === 'Call' ? 'call' : kind)

/** Returns the kind of target that a call's entry point is for. */
export function fittingTarget({ entry_point: { kind } }: Payload['fields']): 'Native' | 'Stored' | 'Session' {
  if (kind === 'Custom') return 'Stored'
  return kind === 'Call' ? 'Session' : 'Native'
}
