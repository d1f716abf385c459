import { type ByteWriter, type Cursor, DecodeError, encodeHex } from '@wattfeed/base'
import { type ClType, readClType, writeClType } from './clType.ts'
import { formatNamedKeys, type NamedKeys, readNamedKeys, sortedEntries, writeNamedKeys } from './namedKeys.ts'

/** A version of a contract, as stored in global state. */
export interface Contract {
  readonly packageHash: Uint8Array
  readonly wasmHash: Uint8Array
  readonly namedKeys: NamedKeys
  readonly entryPoints: ReadonlyMap<string, EntryPoint>
  /** Major, minor, patch. */
  readonly protocolVersion: readonly [number, number, number]
}

export function readContract(cursor: Cursor): Contract {
  return {
    packageHash: cursor.bytes(32),
    wasmHash: cursor.bytes(32),
    namedKeys: readNamedKeys(cursor),
    entryPoints: new Map(cursor.list(readNamed)),
    protocolVersion: [cursor.u32(), cursor.u32(), cursor.u32()],
  }
}

export function writeContract(writer: ByteWriter, contract: Contract): ByteWriter {
  writeNamedKeys(writer.bytes(contract.packageHash).bytes(contract.wasmHash), contract.namedKeys)
  writer.list(sortedEntries(contract.entryPoints), ([name, entryPoint]) =>
    writeEntryPoint(writer.string(name), entryPoint),
  )
  for (const part of contract.protocolVersion) writer.u32(part)
  return writer
}

export function formatContract(contract: Contract) {
  return {
    contract_package_hash: `contract-package-${encodeHex(contract.packageHash)}`,
    contract_wasm_hash: `contract-wasm-${encodeHex(contract.wasmHash)}`,
    named_keys: formatNamedKeys(contract.namedKeys),
    entry_points: sortedEntries(contract.entryPoints).map(([, entryPoint]) => entryPoint),
    protocol_version: contract.protocolVersion.join('.'),
  }
}

/** Entry points are stored as a map by name, so each name occurs twice. */
const readNamed = (cursor: Cursor): [string, EntryPoint] => [cursor.string(), readEntryPoint(cursor)]

/** Access to an entry point: `Public` for anyone, `Groups` for holders of a group's URef, `Template` for no one. */
export type EntryPointAccess = 'Public' | 'Template' | { readonly Groups: readonly string[] }

/** The context that an entry point runs in. */
export type EntryPointType = 'Caller' | 'Called' | 'Factory'

/** A callable function of a contract, in the node's JSON. */
export interface EntryPoint {
  readonly name: string
  readonly args: readonly { readonly name: string; readonly cl_type: ClType }[]
  readonly ret: ClType
  readonly access: EntryPointAccess
  readonly entry_point_type: EntryPointType
}

/** Reads an entry point. @throws {DecodeError} */
export function readEntryPoint(cursor: Cursor): EntryPoint {
  return {
    name: cursor.string(),
    args: cursor.list(() => ({ name: cursor.string(), cl_type: readClType(cursor) })),
    ret: readClType(cursor),
    access: readAccess(cursor),
    entry_point_type: readType(cursor),
  }
}

function readAccess(cursor: Cursor): EntryPointAccess {
  const tag = cursor.u8()
  switch (tag) {
    case 1:
      return 'Public'
    case 2:
      return { Groups: cursor.list(() => cursor.string()) }
    case 3:
      return 'Template'
    default:
      throw new DecodeError('EntryPointAccess', `unknown tag ${tag}`)
  }
}

function readType(cursor: Cursor): EntryPointType {
  const tag = cursor.u8()
  switch (tag) {
    case 0:
      return 'Caller'
    case 1:
      return 'Called'
    case 0x80:
      return 'Factory'
    default:
      throw new DecodeError('EntryPointType', `unknown tag ${tag}`)
  }
}

export function writeEntryPoint(writer: ByteWriter, entryPoint: EntryPoint): ByteWriter {
  const { name, args, ret, access, entry_point_type } = entryPoint
  writer.string(name).list(args, (arg) => writeClType(writer.string(arg.name), arg.cl_type))
  return writeAccess(writeClType(writer, ret), access).u8(
    { Caller: 0, Called: 1, Factory: 0x80 }[entry_point_type],
  )
}

function writeAccess(writer: ByteWriter, access: EntryPointAccess): ByteWriter {
  if (typeof access === 'string') return writer.u8(access === 'Public' ? 1 : 3)
  return writer.u8(2).list(access.Groups, writer.string)
}
