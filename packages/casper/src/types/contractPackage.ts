import { type ByteWriter, type Cursor, DecodeError, encodeHex } from '@wattfeed/base'
import { formatUref, readUref } from './key.ts'
import { sortedEntries } from './namedKeys.ts'

/** Identifies a contract version: the major protocol version at the time it was added, and a number within that. */
export interface ContractVersionKey {
  readonly protocolVersionMajor: number
  readonly contractVersion: number
}

/** A version of a contract, and its hash of 32 bytes. */
export interface ContractVersion extends ContractVersionKey {
  readonly contractHash: Uint8Array
}

/** The versions of a contract and the rights to change them, as stored in global state. */
export interface ContractPackage {
  /** URef of 33 bytes. Its holder may change the package. */
  readonly accessKey: Uint8Array
  /** Oldest first. */
  readonly versions: readonly ContractVersion[]
  readonly disabledVersions: readonly ContractVersionKey[]
  /** URefs of each group, 33 bytes each, in the order of their bytes. */
  readonly groups: ReadonlyMap<string, readonly Uint8Array[]>
  readonly isLocked: boolean
}

/** Orders versions: first by the protocol, then by their number. */
export function compareVersions(a: ContractVersionKey, b: ContractVersionKey): number {
  return a.protocolVersionMajor - b.protocolVersionMajor || a.contractVersion - b.contractVersion
}

/** Returns whether a version is enabled. */
export function isEnabled({ disabledVersions }: ContractPackage, version: ContractVersionKey): boolean {
  return !disabledVersions.some((each) => compareVersions(each, version) === 0)
}

/** Returns the newest enabled version; null if there is none. */
export function newestVersion(contractPackage: ContractPackage): ContractVersion | null {
  const enabled = contractPackage.versions.filter((version) => isEnabled(contractPackage, version))
  return enabled.sort(compareVersions).at(-1) ?? null
}

export function readContractPackage(cursor: Cursor): ContractPackage {
  return {
    accessKey: readUref(cursor),
    versions: cursor.list(() => ({ ...readVersionKey(cursor), contractHash: cursor.bytes(32) })),
    disabledVersions: cursor.list(readVersionKey),
    groups: readGroups(cursor),
    isLocked: readLock(cursor),
  }
}

const readGroups = (cursor: Cursor): ContractPackage['groups'] =>
  new Map(cursor.list(() => [cursor.string(), cursor.list(readUref)]))

const readVersionKey = (cursor: Cursor): ContractVersionKey => ({
  protocolVersionMajor: cursor.u32(),
  contractVersion: cursor.u32(),
})

function readLock(cursor: Cursor): boolean {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('ContractPackageStatus', `unknown tag ${tag}`)
  return tag > 0
}

/** Writes a contract package in `bytesrepr`. */
export function writeContractPackage(writer: ByteWriter, contractPackage: ContractPackage): ByteWriter {
  const { accessKey, versions, disabledVersions, groups, isLocked } = contractPackage
  return writer
    .bytes(accessKey)
    .list(versions, (version) => writeVersionKey(writer, version).bytes(version.contractHash))
    .list(disabledVersions, (version) => writeVersionKey(writer, version))
    .list(sortedEntries(groups), ([name, urefs]) => writer.string(name).list(urefs, writer.bytes))
    .u8(isLocked ? 1 : 0)
}

const writeVersionKey = (writer: ByteWriter, version: ContractVersionKey): ByteWriter =>
  writer.u32(version.protocolVersionMajor).u32(version.contractVersion)

export function formatContractPackage(contractPackage: ContractPackage) {
  const { accessKey, versions, disabledVersions, groups, isLocked } = contractPackage
  return {
    access_key: formatUref(accessKey),
    versions: versions.map((version) => ({
      protocol_version_major: version.protocolVersionMajor,
      contract_version: version.contractVersion,
      contract_hash: `contract-${encodeHex(version.contractHash)}`,
    })),
    disabled_versions: disabledVersions.map((version) => [
      version.protocolVersionMajor,
      version.contractVersion,
    ]),
    groups: formatGroups(groups),
    lock_status: isLocked ? 'Locked' : 'Unlocked',
  }
}

const formatGroups = (groups: ContractPackage['groups']) =>
  sortedEntries(groups).map(([name, urefs]) => ({ group_name: name, group_users: urefs.map(formatUref) }))
