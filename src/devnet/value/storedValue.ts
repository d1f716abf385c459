import { type Cursor, createCursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { type Account, accountJson, readAccount, writeAccount } from './account.ts'
import { type ByteWriter, createByteWriter } from './byteWriter.ts'
import { type ClValue, clValueJson, readClValue, writeClValue } from './clValue.ts'
import { type Contract, contractJson, readContract, writeContract } from './contract.ts'
import {
  type ContractPackage,
  contractPackageJson,
  readContractPackage,
  writeContractPackage,
} from './contractPackage.ts'
import { type EraInfo, eraInfoJson, readEraInfo, writeEraInfo } from './eraInfo.ts'
import { type MessageTopic, messageTopicJson, readMessageTopic, writeMessageTopic } from './messageTopic.ts'

/** What global state keeps under a key, of the kinds that a chain without addressable entities makes. */
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

/** `bytesrepr` of a stored value, of which every byte is paid for. */
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

/** Decodes exactly one stored value. Throws a `DecodeError`, also for kinds that this chain does not make. */
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

/**
 * A stored value as a node prints it in `query_global_state` and in effects.
 *
 * @example
 * ```ts
 * storedValueJson({ kind: 'CLValue', value: unitValue }) // { CLValue: { cl_type: 'Unit', bytes: '', parsed: null } }
 * ```
 */
export function storedValueJson(stored: StoredValue): object {
  return { [stored.kind]: innerJson(stored) }
}

function innerJson(stored: StoredValue): unknown {
  switch (stored.kind) {
    case 'CLValue':
      return clValueJson(stored.value)
    case 'Account':
      return accountJson(stored.account)
    case 'ContractWasm':
      return { bytes: encodeHex(stored.wasm) }
    case 'Contract':
      return contractJson(stored.contract)
    case 'ContractPackage':
      return contractPackageJson(stored.contractPackage)
    case 'EraInfo':
      return eraInfoJson(stored.eraInfo)
    case 'MessageTopic':
      return messageTopicJson(stored.topic)
    case 'Message':
      return `message-checksum-${encodeHex(stored.checksum)}`
    case 'RawBytes':
      return encodeHex(stored.bytes)
  }
}
