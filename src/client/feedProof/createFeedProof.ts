import type { AbortSignalLike } from '../../async/webTypes.ts'
import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { absentAsHidden, absentAsNull } from '../../casper/state/absent.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { clValueBytes, decodeContract } from '../../casper/types/storedValueJson.ts'
import { PackageNotFoundError, stateUrefOf } from '../../odra/contract.ts'
import { decodeField } from '../../odra/field.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { createReading } from '../../registry/reading.ts'
import { attestationRegistryField } from '../fields.ts'
import type { FieldRequest } from '../rootReader.ts'
import type { FeedProof, FeedProofBlock, FeedProofItem } from './feedProof.ts'
import { contractKeyOf, dictionaryItemKeyOf, dictionaryKeyOf, readingFields } from './registryItems.ts'

export interface FeedProofRequest {
  /** Returns only proven values. */
  rpc: Rpc
  feedId: string
  /** Of a past value; null for the newest. */
  index: number | null
  /** What is known to be on chain: a node that reports it as absent is at fault. */
  known: KnownOfFeed
  stateRootHash: string
  registries: FeedProof['registries']
  block: FeedProofBlock
  switchBlocks: readonly FeedProofBlock[]
  signal?: AbortSignalLike | undefined
}

/** What the event logs have shown of a feed. */
export interface KnownOfFeed {
  readonly isListed: boolean
  readonly hasValue: boolean
}

/** Reads a feed with all its proofs at one state root, or null if it is not registered or has no such value. */
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

/** Reads a value; null if the feed has none at this index, which its count confirms. */
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
  const { registries, known } = request
  const packageHash =
    registry === 'FeedRegistry'
      ? registries.feed_registry_package_hash
      : registries.attestation_registry_package_hash
  const query = (key: string): Promise<FeedProofItem | null> =>
    readItem(request, {
      registry,
      key,
      method: 'query_global_state',
      params: { state_identifier: { StateRootHash: request.stateRootHash }, key, path: [] },
      isThere: known.isListed,
    })
  const contractPackage = await query(`hash-${packageHash}`)
  if (contractPackage === null) throw new PackageNotFoundError(registry, packageHash, 'no contract package')
  const contract = await query(contractKeyOf(registry, contractPackage.stored_value))
  if (contract === null) throw new PackageNotFoundError(registry, packageHash, 'no contract')
  const seedUref = stateUrefOf(registry, decodeContract(contract.stored_value))
  const itemKey = dictionaryItemKeyOf(field)
  const item = await readItem(request, {
    registry,
    key: dictionaryKeyOf(seedUref, itemKey),
    method: 'state_get_dictionary_item',
    params: {
      state_root_hash: request.stateRootHash,
      dictionary_identifier: { URef: { seed_uref: seedUref, dictionary_item_key: itemKey } },
    },
    isThere,
  })
  if (item === null) return null
  const what = `${registry}.${field.what}`
  const value = decodeField(clValueBytes(item.stored_value, what), what, field.read)
  return { value, items: [contractPackage, contract, item] }
}

interface ItemRequest {
  registry: RegistryName
  key: string
  method: string
  params: unknown
  /** Whether it is known to be on chain. */
  isThere: boolean
}

function readItem(
  { rpc, signal }: FeedProofRequest,
  { registry, key, method, params, isThere }: ItemRequest,
): Promise<FeedProofItem | null> {
  return rpc.call<FeedProofItem | null>({
    method,
    params,
    signal,
    decode(result) {
      if (!isRecord(result)) throw new DecodeError(key, 'the result is not an object')
      return { registry, key, stored_value: result.stored_value, merkle_proof: String(result.merkle_proof) }
    },
    refused: isThere ? (error) => absentAsHidden(error, key) : absentAsNull,
  })
}
