// Separate from the files that read and write bytes: the library loads those only for verification, and bundlers do not
// split a file.
import { DecodeError, decodeHex } from '@wattfeed/base'
import { isRecord } from './jsonField.ts'

/**
 * Returns the bytes of the `CLValue` in a `stored_value`.
 *
 * @throws {DecodeError} when the stored value is not a `CLValue`.
 */
export function clValueBytes(storedValue: unknown, what: string): Uint8Array {
  const clValue = isRecord(storedValue) ? storedValue.CLValue : undefined
  if (isRecord(clValue) && typeof clValue.bytes === 'string') return decodeHex(clValue.bytes, what)
  throw new DecodeError(what, 'the stored value is not a CLValue')
}

/** The parts of a stored `Contract` that readers need. */
export interface ContractNames {
  /** Formatted keys by name. */
  namedKeys: ReadonlyMap<string, string>
  entryPoints: ReadonlySet<string>
}

/** Decodes the names and entry points of a contract in the JSON of a node. @throws {DecodeError} */
export function decodeContract(storedValue: unknown): ContractNames {
  const contract = isRecord(storedValue) ? storedValue.Contract : undefined
  if (!isRecord(contract)) throw notAContract()
  return {
    namedKeys: new Map(namedEntries(contract.named_keys).map(({ name, key }) => [name, text(key)])),
    entryPoints: new Set(namedEntries(contract.entry_points).map(({ name }) => name)),
  }
}

type Named = Record<string, unknown> & { name: string }

function namedEntries(list: unknown): Named[] {
  if (Array.isArray(list) && list.every(isNamed)) return list
  throw notAContract()
}

function isNamed(entry: unknown): entry is Named {
  return isRecord(entry) && typeof entry.name === 'string'
}

function text(key: unknown): string {
  if (typeof key === 'string') return key
  throw notAContract()
}

/**
 * Whether a stored value is the reference that an addressable entity or its package leaves under its former key: a `CLValue` with the
 * new key.
 */
export const isEntityReference = (storedValue: unknown): boolean =>
  isRecord(storedValue) && 'CLValue' in storedValue

function notAContract(): DecodeError {
  return new DecodeError('Contract', 'the stored value is not a contract')
}

/** A version that a package lists. */
export interface PackageVersion {
  /** `2.1`: the protocol's major version and the contract's version. */
  version: string
  /** 64 hex digits. */
  contractHash: string
  isEnabled: boolean
}

/** Lists the versions of a contract package, oldest first. @throws {DecodeError} when it is not a contract package. */
export function listPackageVersions(storedValue: unknown): PackageVersion[] {
  const stored = isRecord(storedValue) ? storedValue.ContractPackage : undefined
  if (!isRecord(stored) || !Array.isArray(stored.versions)) {
    throw new DecodeError('ContractPackage', 'the stored value is not a contract package')
  }
  const disabled = new Set(
    packageList(stored.disabled_versions).map((version) => versionKey(version).join('.')),
  )
  return stored.versions
    .map((version) => ({ key: versionKey(version), contractHash: contractHashOf(version) }))
    .sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1])
    .map(({ key, contractHash }) => {
      const version = key.join('.')
      return { version, contractHash, isEnabled: !disabled.has(version) }
    })
}

/** Returns the newest enabled version, or null if all are disabled. */
export function newestEnabled(versions: readonly PackageVersion[]): PackageVersion | null {
  return versions.findLast(({ isEnabled }) => isEnabled) ?? null
}

/**
 * Returns the `hash-…` key of a contract package's newest enabled version, or null if every version is disabled.
 *
 * @throws {DecodeError} when the stored value is not a `ContractPackage`.
 */
export function newestContractKey(storedValue: unknown): string | null {
  const newest = newestEnabled(listPackageVersions(storedValue))
  return newest && `hash-${newest.contractHash}`
}

/** Returns `[protocol_version_major, contract_version]`. Nodes send an object or this pair. @throws {DecodeError} */
function versionKey(version: unknown): [number, number] {
  const { protocol_version_major, contract_version } = isRecord(version) ? version : {}
  const [major, minor] = Array.isArray(version) ? version : [protocol_version_major, contract_version]
  if (typeof major === 'number' && typeof minor === 'number') return [major, minor]
  throw new DecodeError('ContractPackage', 'expected each version to be an object or a pair')
}

/** Returns the contract hash of a version, 64 hex digits. @throws {DecodeError} */
function contractHashOf(version: unknown): string {
  const hash = isRecord(version) ? version.contract_hash : undefined
  const hex = typeof hash === 'string' ? /^(?:contract-)?([0-9a-f]{64})$/.exec(hash)?.[1] : undefined
  if (hex === undefined) throw new DecodeError('ContractPackage', 'a version has no contract hash')
  return hex
}

/** @throws {DecodeError} when the list is missing. Treating it as empty would enable disabled versions. */
export function packageList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new DecodeError('ContractPackage', 'a list is missing')
}
