import { blake2b } from '@noble/hashes/blake2.js'
import { DecodeError, encodeHex, encodeString, memberAt } from '@wattfeed/base'
import { absentAsNull } from '../state/absent.ts'
import type { GlobalState } from '../state/globalState.ts'
import { type Decode, integer, listOf, members, text } from '../types/jsonField.ts'
import { newestContractKey } from '../types/storedValueJson.ts'
import type { OdraContract } from './odraContract.ts'

/**
 * Returns the contract key of a package whose versions are addressable entities, as {@link newestContractKey} does; null if there is no
 * such package.
 *
 * @param packageHash - 64 hex digits
 */
export const findEntityContract = (
  state: GlobalState,
  packageHash: string,
  stateRootHash: string | null,
): Promise<{ contractKey: string | null } | null> =>
  state.query({
    stateRootHash,
    key: `package-${packageHash}`,
    decode: (stored) => ({ contractKey: newestContractKey({ ContractPackage: packageOf(stored) }) }),
    absent: absentAsNull,
  })

/** Returns the package of entities in the form of one of contracts, whose keys have the same hashes. @throws {DecodeError} */
function packageOf(stored: unknown): object {
  const of = members(stored, 'stored_value')('SmartContract', members)
  const versionOf: Decode<object> = (json, what) => {
    const version = members(json, what)
    const [protocol_version_major, contract_version] = [
      version('protocol_version_major', integer),
      version('entity_version', integer),
    ]
    return { protocol_version_major, contract_version }
  }
  return {
    versions: of(
      'versions',
      listOf((json, what) => {
        const version = members(json, what)
        const contract_hash = version('entity_addr', text).replace('entity-contract-', '')
        return { ...version('entity_version_key', versionOf), contract_hash }
      }),
    ),
    disabled_versions: of('disabled_versions', listOf(versionOf)),
  }
}

interface EntityRequest {
  /** `hash-…` of the contract, whose entity has the same hash. */
  contractKey: string
  stateRootHash: string
  /** The entry points to look for. */
  entryPoints: readonly string[]
}

/**
 * Reads the named keys and entry points of a contract that is an addressable entity, each of which is a value; null if it has no
 * `state`.
 */
export async function readEntityContract(
  state: GlobalState,
  { contractKey, stateRootHash, entryPoints }: EntityRequest,
): Promise<OdraContract | null> {
  const read = <T>(kind: string, name: string, decode: (stored: unknown) => T): Promise<T | null> => {
    const nameHash = encodeHex(blake2b(encodeString(name), { dkLen: 32 }))
    const key = `${kind}-entity-contract-${contractKey.replace('hash-', '')}-${nameHash}`
    return state.query({ stateRootHash, key, decode, absent: absentAsNull })
  }
  const readUref = (name: string): Promise<string | null> => read('named-key', name, namedUref)
  const stateUref = await readUref('state')
  if (stateUref === null) return null
  const [seedUref, lengthUref, ...found] = await Promise.all([
    readUref('__events'),
    readUref('__events_length'),
    ...entryPoints.map((name) => read('entry-point-v1', name, () => name)),
  ])
  return {
    stateUref,
    events: seedUref && lengthUref ? { seedUref, lengthUref } : null,
    entryPoints: new Set(found.filter((each) => each !== null)),
  }
}

/** Returns the URef of a stored `NamedKey`: its tag, address and access rights. @throws {DecodeError} if it is another key. */
function namedUref(stored: unknown): string {
  const bytes = String(memberAt(stored, 'NamedKey', 'named_key', 'bytes'))
  const [, address, rights] = /^02([0-9a-f]{64})0([0-7])$/.exec(bytes) ?? []
  if (address === undefined) throw new DecodeError('NamedKey', 'the stored value is not a named URef')
  return `uref-${address}-00${rights}`
}
