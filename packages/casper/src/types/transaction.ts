import { blake2b } from '@noble/hashes/blake2.js'
import { DecodeError, decodeHex, encodeHex } from '@wattfeed/base'
import { accountHashOfHex } from './accountHash.ts'
import type { NamedArgument } from './clValue.ts'
import { encodeAs } from './codec.ts'
import { quote, strictReader, wrongKind } from './strictReader.ts'
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

/** What a transaction runs. */
export type TransactionTarget =
  | { readonly kind: 'native' }
  | { readonly kind: 'session'; readonly wasm: Uint8Array; readonly isInstallOrUpgrade: boolean }
  | { readonly kind: 'contract'; readonly contractHash: string }
  | ({ readonly kind: 'package'; readonly packageHash: string } & CalledVersion)
  /** A contract or package under a named key of the account. */
  | { readonly kind: 'name'; readonly name: string }
  | ({ readonly kind: 'packageName'; readonly name: string } & CalledVersion)

/** Which version of a package a call is for. */
export interface CalledVersion {
  /** Null means the newest. */
  readonly version: number | null
  /** The major protocol version at the time that the version was added; null means any. */
  readonly protocolVersionMajor: number | null
}

/**
 * Decodes the transaction of `account_put_transaction`, `{ "Version1": … }`, and computes its hash from its fields. It
 * ignores `parsed`, which repeats an argument in words that nobody has signed, and accepts no other redundant field.
 *
 * @throws {DecodeError} if it is another kind of transaction, or its hash is not that of its fields.
 */
export function decodeTransaction(json: unknown): TransactionV1 {
  const { name: kind, content } = strictReader.variant(json, 'transaction', { Version1: transactionV1 })
  const signed = transactionV1.parse(content, kind, strictReader)
  const decoded = decodePayload(signed.payload)
  const computed = encodeHex(blake2b(encodeAs(payload, signed.payload), { dkLen: 32 }))
  if (signed.hash !== computed)
    throw new DecodeError(
      'transaction',
      `the content was changed: its hash is ${computed}, not ${signed.hash}`,
    )
  assertApprovedOnce(signed.approvals)
  return { hash: computed, ...decoded, approvals: signed.approvals }
}

/** @throws {DecodeError} if a key has two approvals. */
export function assertApprovedOnce(approvals: readonly TransactionApproval[]): void {
  const repeated = findRepeated(approvals, ({ signer }) => signer)
  if (repeated) throw new DecodeError('approvals', `duplicate approval of key ${repeated.signer}`)
}

/** The last day whose year ISO 8601 writes with four digits. */
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
      return { kind: 'package', packageHash: id.value.addr, ...versionOf(id.value) }
    case 'ByPackageName':
      return { kind: 'packageName', name: id.value.name, ...versionOf(id.value) }
  }
}

const versionOf = (id: {
  readonly version: number | null
  readonly protocol_version_major: number | undefined
}): CalledVersion => ({ version: id.version, protocolVersionMajor: id.protocol_version_major ?? null })

const findRepeated = <T>(items: readonly T[], nameOf: (item: T) => string): T | undefined =>
  items.find((item, index) => items.findIndex((each) => nameOf(each) === nameOf(item)) !== index)
