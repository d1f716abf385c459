import { bytesToHex } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { type ClType, readClType } from './clType.ts'
import { readKey } from './key.ts'
import { readList } from './readList.ts'

export interface NamedKey {
  name: string
  key: string
}

/** A stored `Contract` as a node prints it. */
export interface StoredContract {
  contract_package_hash: string
  contract_wasm_hash: string
  named_keys: NamedKey[]
  entry_points: EntryPoint[]
  protocol_version: string
}

export interface EntryPoint {
  name: string
  args: { name: string; cl_type: ClType }[]
  ret: ClType
  access: string | { Groups: string[] }
  entry_point_type: string
}

/** Reads a serialized `Contract`. @throws {DecodeError} where it is none. */
export function readContract(cursor: Cursor): StoredContract {
  return {
    contract_package_hash: `contract-package-${bytesToHex(cursor.bytes(32))}`,
    contract_wasm_hash: `contract-wasm-${bytesToHex(cursor.bytes(32))}`,
    named_keys: readNamedKeys(cursor),
    entry_points: readList(cursor, readEntryPoint),
    protocol_version: [cursor.u32(), cursor.u32(), cursor.u32()].join('.'),
  }
}

/** Reads a map of keys by name. */
export function readNamedKeys(cursor: Cursor): NamedKey[] {
  return readList(cursor, () => ({ name: cursor.string(), key: readKey(cursor) }))
}

function readEntryPoint(cursor: Cursor): EntryPoint {
  // The name stands there twice: as the key of the map and in the entry point itself.
  cursor.string()
  return {
    name: cursor.string(),
    args: readList(cursor, () => ({ name: cursor.string(), cl_type: readClType(cursor) })),
    ret: readClType(cursor),
    access: readAccess(cursor),
    entry_point_type: readEntryPointType(cursor),
  }
}

function readAccess(cursor: Cursor): EntryPoint['access'] {
  const tag = cursor.u8()
  if (tag === 1) return 'Public'
  if (tag === 2) return { Groups: readList(cursor, () => cursor.string()) }
  if (tag === 3) return 'Template'
  throw new DecodeError('EntryPointAccess', `tag ${tag} is unknown`)
}

function readEntryPointType(cursor: Cursor): string {
  const tag = cursor.u8()
  const name = ['Caller', 'Called', 'Factory'][tag]
  if (name === undefined) throw new DecodeError('EntryPointType', `tag ${tag} is unknown`)
  return name
}
