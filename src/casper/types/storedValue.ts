import { type ByteWriter, createByteWriter } from '../../bytes/byteWriter.ts'
import { type Cursor, createCursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { type Account, printAccount, readAccount, writeAccount } from './account.ts'
import {
  type ClValue,
  formatClValue,
  formatPlainClValue,
  type PlainClValue,
  readClValue,
  writeClValue,
} from './clValue.ts'
import { type Contract, printContract, readContract, writeContract } from './contract.ts'
import {
  type ContractPackage,
  printContractPackage,
  readContractPackage,
  writeContractPackage,
} from './contractPackage.ts'
import { type EraInfo, readEraInfo, writeEraInfo } from './eraInfo.ts'
import { printAddressKey } from './key.ts'
import { printKey } from './keyKinds.ts'
import { formatMessageTopic, type MessageTopic, readMessageTopic, writeMessageTopic } from './messageTopic.ts'

/** A value in global state, of the kinds on a chain without addressable entities. */
export type StoredValue =
  | { readonly kind: 'CLValue'; readonly value: ClValue }
  | { readonly kind: 'Account'; readonly account: Account }
  | { readonly kind: 'ContractWasm'; readonly wasm: Uint8Array }
  | { readonly kind: 'Contract'; readonly contract: Contract }
  | { readonly kind: 'ContractPackage'; readonly contractPackage: ContractPackage }
  | { readonly kind: 'EraInfo'; readonly eraInfo: EraInfo }
  | { readonly kind: 'MessageTopic'; readonly topic: MessageTopic }
  /** The checksum of a message. */
  | { readonly kind: 'Message'; readonly checksum: Uint8Array }
  | { readonly kind: 'RawBytes'; readonly bytes: Uint8Array }

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

/** Encodes a stored value as `bytesrepr`. */
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

/** Decodes exactly one stored value. @throws {DecodeError} also on kinds that this chain does not have. */
export function decodeStoredValue(bytes: Uint8Array): StoredValue {
  const cursor = createCursor(bytes, 'StoredValue')
  const stored = read(cursor, cursor.u8())
  cursor.end()
  return stored
}

function read(cursor: Cursor, tag: number): StoredValue {
  switch (tag) {
    case tags.CLValue:
      return { kind: 'CLValue', value: readClValue(cursor) }
    case tags.Account:
      return { kind: 'Account', account: readAccount(cursor) }
    case tags.ContractWasm:
      return { kind: 'ContractWasm', wasm: cursor.bytes(cursor.u32()) }
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
      return { kind: 'RawBytes', bytes: cursor.bytes(cursor.u32()) }
    default:
      throw new DecodeError('StoredValue', `there is no kind ${tag} on this chain`)
  }
}

/** A `stored_value` in the node's JSON without `parsed`, of the kinds that readers need. */
export type PrintedValue =
  | { readonly CLValue: PlainClValue }
  | { readonly Account: ReturnType<typeof printAccount> }
  | { readonly Contract: ReturnType<typeof printContract> }
  | { readonly ContractPackage: ReturnType<typeof printContractPackage> }
  | { readonly EraInfo: EraInfo }

/**
 * Reads a serialized stored value and returns it as the node's JSON, so the decoders of a node's answers apply.
 *
 * Goes straight from the bytes to keep the library small.
 *
 * @throws {DecodeError} on kinds that readers do not need.
 */
export function printStoredValue(cursor: Cursor, printKey = printAddressKey): PrintedValue {
  const tag = cursor.u8()
  switch (tag) {
    case 0:
      return { CLValue: formatPlainClValue(readClValue(cursor)) }
    case 1:
      return { Account: printAccount(cursor, printKey) }
    case 3:
      return { Contract: printContract(cursor, printKey) }
    case 4:
      return { ContractPackage: printContractPackage(cursor) }
    case 7:
      return { EraInfo: readEraInfo(cursor) }
    default:
      throw new DecodeError('StoredValue', `tag ${tag} is unknown`)
  }
}

/**
 * Formats a stored value as the node's JSON in `query_global_state` and in effects.
 *
 * @param bytes - the serialized value, if the caller has it, to save encoding it again
 *
 * @example
 * ```ts
 * formatStoredValue({ kind: 'CLValue', value: unitValue }) // { CLValue: { cl_type: 'Unit', bytes: '', parsed: null } }
 * ```
 */
export function formatStoredValue(stored: StoredValue, bytes?: Uint8Array): object {
  switch (stored.kind) {
    case 'CLValue':
      return { CLValue: formatClValue(stored.value) }
    case 'ContractWasm':
      return { ContractWasm: { bytes: encodeHex(stored.wasm) } }
    case 'MessageTopic':
      return { MessageTopic: formatMessageTopic(stored.topic) }
    case 'Message':
      return { Message: `message-checksum-${encodeHex(stored.checksum)}` }
    case 'RawBytes':
      return { RawBytes: encodeHex(stored.bytes) }
    default:
      return printStoredValue(createCursor(bytes ?? encodeStoredValue(stored), stored.kind), printKey)
  }
}
