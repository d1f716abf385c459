import type { AbortSignalLike } from '@wattfeed/base'
import { InvalidArgumentError } from '@wattfeed/base'
import {
  absentAsHidden,
  absentAsNull,
  decodeField,
  type GlobalState,
  itemKey,
  PackageNotFoundError,
  stateUrefOf,
} from '@wattfeed/casper'
import { clValueBytes, decodeContract, isEntityReference } from '@wattfeed/casper/types'
import type { RegistryName } from '../../registry/layout.ts'
import type { FieldRequest } from '../../registry/rootReader.ts'
import { UnsupportedAccountError } from '../errors.ts'
import { contractKeyOf, dictionaryKeyOf } from './create/registryItems.ts'
import type { FeedProofItem, ProvenRegistries } from './feedProof.ts'

/** A registry's package and contract with their proofs, and a reader of its fields. */
export interface ProvenRegistry {
  items: FeedProofItem[]
  /** Reads a field with its proof; null if it is absent. `isThere` if it is known to be on chain. */
  read<T>(field: FieldRequest<T>, options?: { isThere?: boolean }): Promise<ProvenField<T> | null>
}

/** A field with its item of a proof. */
export interface ProvenField<T> {
  value: T
  item: FeedProofItem
}

/** Where to read the registries. */
export interface RegistriesRead {
  /** Returns only proven values. */
  state: GlobalState
  stateRootHash: string
  registries: ProvenRegistries
  signal?: AbortSignalLike | undefined
}

/**
 * Reads a registry's package and contract. `isThere` if they are known to be on chain.
 *
 * @throws {PackageNotFoundError}
 * @throws {UnsupportedAccountError} when the chain stores them as addressable entities.
 */
export async function readRegistry(
  { state, stateRootHash, registries, signal }: RegistriesRead,
  registry: RegistryName,
  isThere = false,
): Promise<ProvenRegistry> {
  const packageHash =
    registry === 'FeedRegistry'
      ? registries.feed_registry_package_hash
      : registries.attestation_registry_package_hash
  const itemOf = (key: string) => (stored_value: unknown, merkleProof: unknown) => ({
    registry,
    key,
    stored_value,
    merkle_proof: String(merkleProof),
  })
  const query = (key: string): Promise<FeedProofItem | null> =>
    state.query({ stateRootHash, key, decode: itemOf(key), absent: absenceOf(isThere), signal })
  const contractPackage = await query(`hash-${packageHash}`)
  const isEntity = isEntityReference(contractPackage?.stored_value)
  if (isEntity || (contractPackage === null && (await query(`package-${packageHash}`)) !== null))
    throw new UnsupportedAccountError(`hash-${packageHash}`)
  if (contractPackage === null) throw new PackageNotFoundError(registry, packageHash, 'no contract package')
  const contract = await query(contractKeyOf(registry, contractPackage.stored_value))
  if (contract === null) throw new PackageNotFoundError(registry, packageHash, 'no contract')
  const seedUref = stateUrefOf(registry, decodeContract(contract.stored_value))
  return {
    items: [contractPackage, contract],
    async read(field, { isThere = false } = {}) {
      const dictionaryItemKey = itemKey(field.field, field.key)
      const what = `${registry}.${field.what}`
      const item = await state.item<FeedProofItem, null>({
        stateRootHash,
        seedUref,
        itemKey: dictionaryItemKey,
        what,
        decode: itemOf(dictionaryKeyOf(seedUref, dictionaryItemKey)),
        absent: absenceOf(isThere),
        signal,
      })
      if (item === null) return null
      return { value: decodeField(clValueBytes(item.stored_value, what), what, field.read), item }
    },
  }
}

/** The proof of an item takes 20 to 120 kB of JSON. */
const MAX_ITEMS = 1_000

/** @throws {@link InvalidArgumentError} when a list has too many items for a proof. */
export function assertListable(count: number, name: string, max = MAX_ITEMS): void {
  if (count > max)
    throw new InvalidArgumentError(name, `at most ${max} for a proof of the complete list, not ${count}`)
}

/** Reads the first `count` items of a list, which are on chain. */
export async function readAll<T>(
  { read }: ProvenRegistry,
  count: number,
  fieldAt: (index: number) => FieldRequest<T>,
): Promise<ProvenField<T>[]> {
  const items = await Promise.all(
    Array.from({ length: count }, (_, index) => read(fieldAt(index), { isThere: true })),
  )
  return items.filter((item) => item !== null)
}

/** `isThere` if the value is known to be on chain. */
const absenceOf = (isThere: boolean) => (isThere ? absentAsHidden : absentAsNull)
