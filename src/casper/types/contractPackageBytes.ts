import { bytesToHex } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { readUref } from './key.ts'
import { readList } from './readList.ts'

/** A stored `ContractPackage` as a node prints it. */
export interface StoredContractPackage {
  access_key: string
  versions: { protocol_version_major: number; contract_version: number; contract_hash: string }[]
  disabled_versions: [number, number][]
  groups: { group_name: string; group_users: string[] }[]
  lock_status: string
}

/** Reads a serialized `ContractPackage`. @throws {DecodeError} where it is none. */
export function readContractPackage(cursor: Cursor): StoredContractPackage {
  return {
    access_key: readUref(cursor),
    versions: readList(cursor, () => ({
      protocol_version_major: cursor.u32(),
      contract_version: cursor.u32(),
      contract_hash: `contract-${bytesToHex(cursor.bytes(32))}`,
    })),
    disabled_versions: readList(cursor, () => [cursor.u32(), cursor.u32()]),
    groups: readList(cursor, () => ({
      group_name: cursor.string(),
      group_users: readList(cursor, readUref),
    })),
    lock_status: readLockStatus(cursor),
  }
}

function readLockStatus(cursor: Cursor): string {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('ContractPackageStatus', `tag ${tag} is unknown`)
  return tag === 1 ? 'Locked' : 'Unlocked'
}
