import { DecodeError } from '../../bytes/cursor.ts'
import { isRecord } from './isRecord.ts'

/**
 * The `hash-…` key of a contract package's newest enabled version, or null where every version is disabled.
 *
 * @throws {DecodeError} where the stored value is not a `ContractPackage`.
 */
export function newestContractKey(storedValue: unknown): string | null {
  const stored = isRecord(storedValue) ? storedValue.ContractPackage : undefined
  if (!isRecord(stored) || !Array.isArray(stored.versions)) {
    throw new DecodeError('ContractPackage', 'the stored value is not a contract package')
  }
  const disabled = new Set(
    packageList(stored.disabled_versions).map((version) => versionKey(version).join('.')),
  )
  const enabled = stored.versions
    .map((version) => ({ key: versionKey(version), hash: contractHashOf(version) }))
    .filter(({ key }) => !disabled.has(key.join('.')))
    .sort((a, b) => b.key[0] - a.key[0] || b.key[1] - a.key[1])
  return enabled[0] ? `hash-${enabled[0].hash}` : null
}

/** `[protocol_version_major, contract_version]`: nodes write a version as an object or as such a pair. @throws {DecodeError} */
export function versionKey(version: unknown): [number, number] {
  const [major, minor] = Array.isArray(version)
    ? version
    : isRecord(version)
      ? [version.protocol_version_major, version.contract_version]
      : []
  if (typeof major === 'number' && typeof minor === 'number') return [major, minor]
  throw new DecodeError('ContractPackage', 'a version is neither an object nor a pair')
}

/** The hash of a version's contract, 64 hex digits. @throws {DecodeError} */
export function contractHashOf(version: unknown): string {
  const hash = isRecord(version) ? version.contract_hash : undefined
  const hex = typeof hash === 'string' ? /^(?:contract-)?([0-9a-f]{64})$/.exec(hash)?.[1] : undefined
  if (hex === undefined) throw new DecodeError('ContractPackage', 'a version names no contract hash')
  return hex
}

/** A list in a package. @throws {DecodeError} where it is missing: taken for empty it would enable what is disabled. */
export function packageList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new DecodeError('ContractPackage', 'a list is missing')
}
