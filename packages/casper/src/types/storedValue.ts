import {
  type ByteWriter,
  type Cursor,
  createByteWriter,
  createCursor,
  DecodeError,
  encodeHex,
} from '@wattfeed/base'
import {
  type Account,
  type AccountEnd,
  formatAccount,
  formatAccountEnd,
  readAccount,
  readAccountEnd,
  writeAccount,
} from './account.ts'
import {
  type ClValue,
  formatClValue,
  formatPlainClValue,
  readClValue,
  readPublicKey,
  writeClValue,
} from './clValue.ts'
import { type Contract, formatContract, readContract, writeContract } from './contract.ts'
import {
  type ContractPackage,
  formatContractPackage,
  readContractPackage,
  writeContractPackage,
} from './contractPackage.ts'
import { formatEntityValue } from './entity.ts'
import { formatMessageTopic, type MessageTopic, readMessageTopic, writeMessageTopic } from './messageTopic.ts'
import { readU512 } from './u512.ts'

/** A value in global state. Covers the kinds of a chain without addressable entities. */
export type StoredValue =
  | { readonly kind: 'CLValue'; readonly value: ClValue }
  | { readonly kind: 'Account'; readonly account: Account }
  | { readonly kind: 'ContractWasm'; readonly wasm: Uint8Array }
  | { readonly kind: 'Contract'; readonly contract: Contract }
  | { readonly kind: 'ContractPackage'; readonly contractPackage: ContractPackage }
  | { readonly kind: 'EraInfo'; readonly eraInfo: EraInfo }
  | { readonly kind: 'MessageTopic'; readonly topic: MessageTopic }
  | { readonly kind: 'Message'; readonly checksum: Uint8Array }
  | { readonly kind: 'RawBytes'; readonly bytes: Uint8Array }

/** A value with a part of an unknown kind: of a later protocol. */
export interface UnknownValue {
  readonly kind: 'Unknown'
  readonly bytes: Uint8Array
  /** Why it cannot be decoded. */
  readonly error: DecodeError
}

const tags = {
  CLValue: 0,
  Account: 1,
  ContractWasm: 2,
  Contract: 3,
  ContractPackage: 4,
  EraInfo: 7,
  MessageTopic: 15,
  Message: 16,
  RawBytes: 20,
} as const

/** Encodes a value of global state in `bytesrepr`. */
export function encodeStoredValue(stored: StoredValue): Uint8Array {
  const writer = createByteWriter(stored.kind === 'ContractWasm' ? stored.wasm.length + 5 : 128)
  return write(writer.u8(tags[stored.kind]), stored).finish()
}

function write(writer: ByteWriter, stored: StoredValue): ByteWriter {
  switch (stored.kind) {
    case 'CLValue':
      return writeClValue(writer, stored.value)
    case 'Account':
      return writeAccount(writer, stored.account)
    case 'ContractWasm':
      return writer.byteList(stored.wasm)
    case 'Contract':
      return writeContract(writer, stored.contract)
    case 'ContractPackage':
      return writeContractPackage(writer, stored.contractPackage)
    case 'EraInfo':
      return writeEraInfo(writer, stored.eraInfo)
    case 'MessageTopic':
      return writeMessageTopic(writer, stored.topic)
    case 'Message':
      return writer.bytes(stored.checksum)
    case 'RawBytes':
      return writer.byteList(stored.bytes)
  }
}

/** Decodes a value of global state. @throws {DecodeError} */
export function decodeStoredValue(bytes: Uint8Array): StoredValue {
  const cursor = createCursor(bytes, 'StoredValue')
  const stored = readStoredValue(cursor)
  cursor.end()
  return stored
}

/** Reads one stored value. @throws {DecodeError} when it is malformed or of an unsupported kind. */
export function readStoredValue(cursor: Cursor): StoredValue {
  const tag = cursor.u8()
  switch (tag) {
    case tags.CLValue:
      return { kind: 'CLValue', value: readClValue(cursor) }
    case tags.Account:
      return { kind: 'Account', account: readAccount(cursor) }
    case tags.ContractWasm:
      return { kind: 'ContractWasm', wasm: cursor.byteList() }
    case tags.Contract:
      return { kind: 'Contract', contract: readContract(cursor) }
    case tags.ContractPackage:
      return { kind: 'ContractPackage', contractPackage: readContractPackage(cursor) }
    case tags.EraInfo:
      return { kind: 'EraInfo', eraInfo: readEraInfo(cursor) }
    case tags.MessageTopic:
      return { kind: 'MessageTopic', topic: readMessageTopic(cursor) }
    case tags.Message:
      return { kind: 'Message', checksum: cursor.bytes(32) }
    case tags.RawBytes:
      return { kind: 'RawBytes', bytes: cursor.byteList() }
    default:
      throw new DecodeError('StoredValue', `unsupported kind ${tag}`)
  }
}

/** A `stored_value` in the node's JSON, without the `parsed` of a `CLValue`. */
export type StoredValueJson = ReturnType<typeof formatStoredValue>

/**
 * Formats a stored value as the node's JSON. A `CLValue` gets no `parsed`, because no proof covers it. An account with a named key of an
 * unknown kind gets no `named_keys`.
 *
 * @throws {DecodeError} for any other value with a part of an unknown kind.
 */
export function formatStoredValue(stored: StoredValue | UnknownValue) {
  switch (stored.kind) {
    case 'CLValue':
      return { CLValue: formatPlainClValue(stored.value) }
    case 'Account':
      return { Account: formatAccount(stored.account) }
    case 'ContractWasm':
      return { ContractWasm: { bytes: encodeHex(stored.wasm) } }
    case 'Contract':
      return { Contract: formatContract(stored.contract) }
    case 'ContractPackage':
      return { ContractPackage: formatContractPackage(stored.contractPackage) }
    case 'EraInfo':
      return { EraInfo: stored.eraInfo }
    case 'MessageTopic':
      return { MessageTopic: formatMessageTopic(stored.topic) }
    case 'Message':
      return { Message: `message-checksum-${encodeHex(stored.checksum)}` }
    case 'RawBytes':
      return { RawBytes: encodeHex(stored.bytes) }
    case 'Unknown':
      return formatEntityValue(stored.bytes) ?? { Account: formatAccountEnd(readUnknownAccount(stored)) }
  }
}

function readUnknownAccount({ bytes, error }: UnknownValue): AccountEnd {
  const account = bytes[0] === tags.Account ? readAccountEnd(bytes.subarray(1)) : null
  if (account === null) throw error
  return account
}

/** Like {@link formatStoredValue}, with the `parsed` of a `CLValue`, as in `query_global_state` and in effects. */
export function formatServedValue(stored: StoredValue): object {
  return stored.kind === 'CLValue' ? { CLValue: formatClValue(stored.value) } : formatStoredValue(stored)
}

/** The payouts of an era in order, in the node's JSON. */
export interface EraInfo {
  readonly seigniorage_allocations: readonly SeigniorageAllocation[]
}

/** A payout to a validator, or to an account that delegated to it. */
type SeigniorageAllocation =
  | { readonly Validator: Paid }
  | { readonly Delegator: Delegated }
  | { readonly DelegatorKind: DelegatedByKind }

interface Paid {
  /** Hex, starting with the algorithm byte. */
  readonly validator_public_key: string
  /** Motes. */
  readonly amount: string
}

interface Delegated extends Paid {
  readonly delegator_public_key: string
}

/** Since protocol 2, a purse can delegate, too. */
interface DelegatedByKind extends Paid {
  /** The purse without access rights, 64 hex digits. */
  readonly delegator_kind: { readonly PublicKey: string } | { readonly Purse: string }
}

function readEraInfo(cursor: Cursor): EraInfo {
  return { seigniorage_allocations: cursor.list(readAllocation) }
}

function readAllocation(cursor: Cursor): SeigniorageAllocation {
  const tag = cursor.u8()
  const key = (): string => encodeHex(readPublicKey(cursor))
  const paid = (): Paid => ({ validator_public_key: key(), amount: String(readU512(cursor)) })
  if (tag === 0) return { Validator: paid() }
  if (tag === 1) return { Delegator: { delegator_public_key: key(), ...paid() } }
  if (tag === 2) return { DelegatorKind: { delegator_kind: readDelegatorKind(cursor), ...paid() } }
  throw new DecodeError('SeigniorageAllocation', `unknown tag ${tag}`)
}

function readDelegatorKind(cursor: Cursor): DelegatedByKind['delegator_kind'] {
  const tag = cursor.u8()
  if (tag === 0) return { PublicKey: encodeHex(readPublicKey(cursor)) }
  if (tag === 1) return { Purse: encodeHex(cursor.bytes(32)) }
  throw new DecodeError('DelegatorKind', `unknown tag ${tag}`)
}

function writeEraInfo(writer: ByteWriter, eraInfo: EraInfo): ByteWriter {
  return writer.list(eraInfo.seigniorage_allocations, (each) => {
    if ('Validator' in each) return writePaid(writer.u8(0), each.Validator)
    if ('Delegator' in each)
      return writePaid(writer.u8(1).hex(each.Delegator.delegator_public_key), each.Delegator)
    const { delegator_kind: kind } = each.DelegatorKind
    const [tag, hex] = 'PublicKey' in kind ? [0, kind.PublicKey] : [1, kind.Purse]
    return writePaid(writer.u8(2).u8(tag).hex(hex), each.DelegatorKind)
  })
}

const writePaid = (writer: ByteWriter, { validator_public_key, amount }: Paid): ByteWriter =>
  writer.hex(validator_public_key).bigUint(BigInt(amount))
