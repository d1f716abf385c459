import { DecodeError, WattfeedError } from '@wattfeed/base'
import { absentAsNull } from '../state/absent.ts'
import type { GlobalState } from '../state/globalState.ts'
import {
  type ContractNames,
  decodeContract,
  isEntityReference,
  newestContractKey,
} from '../types/storedValueJson.ts'
import type { OdraContract } from './odraContract.ts'

/**
 * There is no enabled contract package under a configured hash.
 *
 * @example
 * ```ts
 * import { PackageNotFoundError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof PackageNotFoundError)) throw error
 *   console.error(error.registry, error.packageHash)
 * }
 * ```
 */
export class PackageNotFoundError extends WattfeedError {
  static override readonly name = 'PackageNotFoundError'
  readonly code = 'package_not_found'
  readonly retryable = false

  constructor(
    /** Contract name: `FeedRegistry`. */
    readonly registry: string,
    /** 64 hex digits. */
    readonly packageHash: string,
    rule: string,
  ) {
    super(
      `${registry}: the chain has ${rule} under hash-${packageHash}; set the package hash on this chain, or use nodes of its network`,
    )
  }
}

/**
 * Returns the contract key of a package's newest enabled version, at a state root or at the node's newest block.
 *
 * @throws {PackageNotFoundError} when the package does not exist or has no enabled version.
 */
export async function findContractKey(
  state: GlobalState,
  name: string,
  packageHash: string,
  stateRootHash: string | null = null,
): Promise<string> {
  const found =
    (await state.query({
      stateRootHash,
      key: `hash-${packageHash}`,
      decode: (stored) => (isEntityReference(stored) ? null : { contractKey: newestContractKey(stored) }),
      absent: absentAsNull,
    })) ?? (await (await entities()).findEntityContract(state, packageHash, stateRootHash))
  if (found === null) throw new PackageNotFoundError(name, packageHash, 'no contract package')
  if (found.contractKey === null) throw new PackageNotFoundError(name, packageHash, 'no enabled version')
  return found.contractKey
}

/**
 * Reads the URefs of a contract's fields and events; returns null if the contract does not exist at this state root. If
 * the stored value is not an Odra contract, the node is at fault.
 *
 * @param entryPoints - the entry points to look for: those of an addressable entity cannot be listed
 */
export async function readOdraContract(
  state: GlobalState,
  name: string,
  contractKey: string,
  stateRootHash: string,
  entryPoints: readonly string[] = [],
): Promise<OdraContract | null> {
  const contract = await state.query({
    stateRootHash,
    key: contractKey,
    decode: (stored) => (isEntityReference(stored) ? null : odraContract(name, decodeContract(stored))),
    absent: absentAsNull,
  })
  return contract ?? (await entities()).readEntityContract(state, { contractKey, stateRootHash, entryPoints })
}

/** Loaded on demand, because public networks have no addressable entities. */
const entities = () => import('./entityContract.ts')

/** Returns the seed URef of the dictionary that stores a contract's fields. @throws {DecodeError} when it is missing. */
export function stateUrefOf(name: string, { namedKeys }: ContractNames): string {
  const uref = namedKeys.get('state')
  if (uref === undefined) throw new DecodeError(name, 'the contract has no named key "state"')
  return uref
}

/** Returns the URefs of a contract. @throws {DecodeError} when it is not an Odra contract. */
export function odraContract(name: string, contract: ContractNames): OdraContract {
  const { namedKeys, entryPoints } = contract
  const stateUref = stateUrefOf(name, contract)
  const seedUref = namedKeys.get('__events')
  const lengthUref = namedKeys.get('__events_length')
  return { stateUref, events: seedUref && lengthUref ? { seedUref, lengthUref } : null, entryPoints }
}
