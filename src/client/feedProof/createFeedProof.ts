import type { AbortSignalLike } from '../../async/webTypes.ts'
import { absentAsHidden, absentAsNull } from '../../casper/state/absent.ts'
import type { GlobalState } from '../../casper/state/globalState.ts'
import { clValueBytes, decodeContract } from '../../casper/types/storedValueJson.ts'
import { PackageNotFoundError, stateUrefOf } from '../../odra/contract.ts'
import { decodeField } from '../../odra/field.ts'
import { itemKey } from '../../odra/itemKey.ts'
import { attestationRegistryField } from '../../registry/fields.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { createReading } from '../../registry/reading.ts'
import type { FieldRequest } from '../../registry/rootReader.ts'
import type { ReadOptions } from '../reads.ts'
import type { FeedProof, FeedProofBlock, FeedProofItem } from './feedProof.ts'
import { contractKeyOf, dictionaryKeyOf, readingFields } from './registryItems.ts'

/** Options of {@link Client.getFeedProof}. */
export interface FeedProofOptions extends ReadOptions {
  /**
   * Hash of a switch block that the verifier trusts: 64 hex digits, at most 1,000 eras ago.
   * @default null, which includes only the last switch block
   */
  from?: string | null
  /**
   * Index of the value in the feed's history, from 0.
   * @default null, which is the newest value
   */
  index?: number | null
}

export interface FeedProofRequest {
  /** Returns only proven values. */
  state: GlobalState
  feedId: string
  /** Index of the value; null for the newest. */
  index: number | null
  /** The items that are known to be on chain. A node that reports one as absent is wrong. */
  known: KnownOfFeed
  stateRootHash: string
  registries: FeedProof['registries']
  block: FeedProofBlock
  switchBlocks: readonly FeedProofBlock[]
  signal?: AbortSignalLike | undefined
}

/** The facts about a feed that follow from the event logs. */
export interface KnownOfFeed {
  readonly isListed: boolean
  readonly hasValue: boolean
}

/** Reads a feed with all its proofs at one state root. Returns null if it is not registered or has no such value. */
export async function createFeedProof(request: FeedProofRequest): Promise<FeedProof | null> {
  const { feedId, index, known, registries, block, switchBlocks } = request
  const fields = readingFields(feedId, index)
  const [feed, latest] = await Promise.all([
    readProven(request, 'FeedRegistry', fields.FeedRegistry, known.isListed),
    readValue(request, fields.AttestationRegistry),
  ])
  if (feed === null || latest === null) return null
  const reading = createReading(feedId, feed.value, latest.value)
  return {
    reading: { ...reading, amount: String(reading.amount) },
    ...(index === null ? {} : { index }),
    registries,
    items: [...feed.items, ...latest.items],
    block,
    switch_blocks: switchBlocks,
  }
}

/** Reads a value. Returns null if the feed has none at this index, and its count agrees. */
async function readValue<T>(request: FeedProofRequest, field: FieldRequest<T>): Promise<Proven<T> | null> {
  const { feedId, index, known } = request
  const value = await readProven(request, 'AttestationRegistry', field, known.hasValue && index === null)
  if (value !== null) return value
  const countField = attestationRegistryField.count(feedId)
  const count = await readProven(request, 'AttestationRegistry', countField, known.hasValue)
  return (index ?? 0) < (count?.value ?? 0) ? readProven(request, 'AttestationRegistry', field, true) : null
}

interface Proven<T> {
  value: T
  items: FeedProofItem[]
}

/** Reads a field with the package, the contract and the item that prove it; null if there is no such item. */
async function readProven<T>(
  request: FeedProofRequest,
  registry: RegistryName,
  field: FieldRequest<T>,
  isThere: boolean,
): Promise<Proven<T> | null> {
  const { state, stateRootHash, registries, known, signal } = request
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
    state.query({ stateRootHash, key, decode: itemOf(key), absent: absenceOf(known.isListed), signal })
  const contractPackage = await query(`hash-${packageHash}`)
  if (contractPackage === null) throw new PackageNotFoundError(registry, packageHash, 'no contract package')
  const contract = await query(contractKeyOf(registry, contractPackage.stored_value))
  if (contract === null) throw new PackageNotFoundError(registry, packageHash, 'no contract')
  const seedUref = stateUrefOf(registry, decodeContract(contract.stored_value))
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
  const value = decodeField(clValueBytes(item.stored_value, what), what, field.read)
  return { value, items: [contractPackage, contract, item] }
}

/** `isThere` if the value is known to be on chain. */
const absenceOf = (isThere: boolean) => (isThere ? absentAsHidden : absentAsNull)
