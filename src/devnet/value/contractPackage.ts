import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import type { ByteWriter } from './byteWriter.ts'
import { readUref } from './clValueJson.ts'
import { formatUref } from './formatKey.ts'
import { sortedEntries } from './namedKeys.ts'

/** The major protocol version that a version was made under, and its number since then. */
export interface ContractVersionKey {
  readonly protocolVersionMajor: number
  readonly contractVersion: number
}

export interface ContractVersion extends ContractVersionKey {
  readonly contractHash: Uint8Array
}

/** The versions of a contract and who may add more, as global state keeps them. */
export interface ContractPackage {
  /** The URef that stands for the right to change the package, 33 bytes. */
  readonly accessKey: Uint8Array
  /** Oldest first. */
  readonly versions: readonly ContractVersion[]
  readonly disabledVersions: readonly ContractVersionKey[]
  /** Their URefs, 33 bytes each, in the order of their bytes. */
  readonly groups: ReadonlyMap<string, readonly Uint8Array[]>
  readonly isLocked: boolean
}

/** Orders versions by the protocol's major version, then by number. */
export function compareVersions(a: ContractVersionKey, b: ContractVersionKey): number {
  return a.protocolVersionMajor - b.protocolVersionMajor || a.contractVersion - b.contractVersion
}

/** Whether a version can be called. */
export function isEnabled({ disabledVersions }: ContractPackage, version: ContractVersionKey): boolean {
  return !disabledVersions.some((each) => compareVersions(each, version) === 0)
}

/** The newest version that is not disabled, or null. */
export function newestVersion(contractPackage: ContractPackage): ContractVersion | null {
  const enabled = contractPackage.versions.filter((version) => isEnabled(contractPackage, version))
  return enabled.sort(compareVersions).at(-1) ?? null
}

export function writeContractPackage(writer: ByteWriter, contractPackage: ContractPackage): ByteWriter {
  const { accessKey, versions, disabledVersions, groups, isLocked } = contractPackage
  writer.bytes(accessKey).u32(versions.length)
  for (const version of versions) writeVersionKey(writer, version).bytes(version.contractHash)
  writer.u32(disabledVersions.length)
  for (const version of disabledVersions) writeVersionKey(writer, version)
  writer.u32(groups.size)
  for (const [name, urefs] of sortedEntries(groups)) {
    writer.string(name).u32(urefs.length)
    for (const uref of urefs) writer.bytes(uref)
  }
  return writer.u8(isLocked ? 1 : 0)
}

const writeVersionKey = (writer: ByteWriter, version: ContractVersionKey): ByteWriter =>
  writer.u32(version.protocolVersionMajor).u32(version.contractVersion)

/** Throws a `DecodeError`. */
export function readContractPackage(cursor: Cursor): ContractPackage {
  return {
    accessKey: readUref(cursor),
    versions: readAll(cursor, () => ({ ...readVersionKey(cursor), contractHash: cursor.bytes(32) })),
    disabledVersions: readAll(cursor, () => readVersionKey(cursor)),
    groups: new Map(readAll(cursor, () => [cursor.string(), readAll(cursor, () => readUref(cursor))])),
    isLocked: readLock(cursor),
  }
}

function readAll<T>(cursor: Cursor, read: () => T): T[] {
  const all: T[] = []
  for (let rest = cursor.u32(); rest > 0; rest--) all.push(read())
  return all
}

const readVersionKey = (cursor: Cursor): ContractVersionKey => ({
  protocolVersionMajor: cursor.u32(),
  contractVersion: cursor.u32(),
})

function readLock(cursor: Cursor): boolean {
  const lock = cursor.u8()
  if (lock > 1) throw new DecodeError('ContractPackage', `no lock status ${lock}`)
  return lock === 1
}

export function contractPackageJson(contractPackage: ContractPackage): object {
  const { accessKey, versions, disabledVersions, groups, isLocked } = contractPackage
  return {
    access_key: formatUref(accessKey),
    versions: versions.map((version) => ({
      protocol_version_major: version.protocolVersionMajor,
      contract_version: version.contractVersion,
      contract_hash: `contract-${encodeHex(version.contractHash)}`,
    })),
    disabled_versions: disabledVersions.map((each) => [each.protocolVersionMajor, each.contractVersion]),
    groups: sortedEntries(groups).map(([name, urefs]) => ({
      group_name: name,
      group_users: urefs.map(formatUref),
    })),
    lock_status: isLocked ? 'Locked' : 'Unlocked',
  }
}
