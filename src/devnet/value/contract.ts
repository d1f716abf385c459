import type { Cursor } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import type { ByteWriter } from './byteWriter.ts'
import { type EntryPoint, entryPointJson, readEntryPoint, writeEntryPoint } from './entryPoint.ts'
import { type NamedKeys, namedKeysJson, readNamedKeys, sortedEntries, writeNamedKeys } from './namedKeys.ts'

/** One version of a contract as global state keeps it. */
export interface Contract {
  readonly packageHash: Uint8Array
  readonly wasmHash: Uint8Array
  readonly namedKeys: NamedKeys
  readonly entryPoints: ReadonlyMap<string, EntryPoint>
  /** Major, minor, patch. */
  readonly protocolVersion: readonly [number, number, number]
}

export function writeContract(writer: ByteWriter, contract: Contract): ByteWriter {
  writeNamedKeys(writer.bytes(contract.packageHash).bytes(contract.wasmHash), contract.namedKeys)
  writer.u32(contract.entryPoints.size)
  for (const [name, entryPoint] of sortedEntries(contract.entryPoints))
    writeEntryPoint(writer.string(name), entryPoint)
  for (const part of contract.protocolVersion) writer.u32(part)
  return writer
}

/** Throws a `DecodeError`. */
export function readContract(cursor: Cursor): Contract {
  return {
    packageHash: cursor.bytes(32),
    wasmHash: cursor.bytes(32),
    namedKeys: readNamedKeys(cursor),
    entryPoints: readEntryPoints(cursor),
    protocolVersion: [cursor.u32(), cursor.u32(), cursor.u32()],
  }
}

/** Throws a `DecodeError`. */
function readEntryPoints(cursor: Cursor): Map<string, EntryPoint> {
  const entryPoints = new Map<string, EntryPoint>()
  for (let rest = cursor.u32(); rest > 0; rest--) entryPoints.set(cursor.string(), readEntryPoint(cursor))
  return entryPoints
}

export function contractJson(contract: Contract): object {
  return {
    contract_package_hash: `contract-package-${encodeHex(contract.packageHash)}`,
    contract_wasm_hash: `contract-wasm-${encodeHex(contract.wasmHash)}`,
    named_keys: namedKeysJson(contract.namedKeys),
    entry_points: sortedEntries(contract.entryPoints).map(([, entryPoint]) => entryPointJson(entryPoint)),
    protocol_version: contract.protocolVersion.join('.'),
  }
}
