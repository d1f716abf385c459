import type { AbortSignalLike } from '../../async/webTypes.ts'
import type { AbsenceEvidenceFinder } from '../../casper/state/absenceEvidence.ts'
import { absentAsHidden, absentAsNull } from '../../casper/state/absent.ts'
import type { GlobalState } from '../../casper/state/globalState.ts'
import { clValueBytes, decodeContract } from '../../casper/types/storedValueJson.ts'
import { PackageNotFoundError, stateUrefOf } from '../../odra/contract.ts'
import { decodeField, itemKey } from '../../odra/field.ts'
import { attestationRegistryField } from '../../registry/fields.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { createReading, readingToJson } from '../../registry/reading.ts'
import type { FieldRequest } from '../../registry/rootReader.ts'
import { InvalidArgumentError } from '../argument.ts'
import type { ReadOptions } from '../reads.ts'
import { createAttesterProof } from './createAttesterProof.ts'
import type { FeedProof, FeedProofBlock, FeedProofItem } from './feedProof.ts'
import type { ProvenField, ProvenRegistry } from './provenRegistry.ts'
import { contractKeyOf, dictionaryKeyOf, readingFields } from './registryItems.ts'

/** Options of {@link Client.getFeedAbsence}. */
export interface FeedAbsenceOptions extends ReadOptions {
  /**
   * Hash of a switch block that the verifier trusts: 64 hex digits, at most 1,000 eras ago.
   * @default null, which includes only the last switch block
   */
  from?: string | null
}

/** Options of {@link Client.getFeedProof}. */
export interface FeedProofOptions extends FeedAbsenceOptions {
  /**
   * Index of the value in the feed's history, from 0.
   * @default null, which is the newest value
   */
  index?: number | null
  /**
   * Whether the proof includes who may attest to the feed, with the keys of that account.
   * @default false
   */
  attester?: boolean
}

export interface ProofRequest {
  /** Returns only proven values. */
  state: GlobalState
  stateRootHash: string
  registries: FeedProof['registries']
  block: FeedProofBlock
  switchBlocks: readonly FeedProofBlock[]
  signal?: AbortSignalLike | undefined
}

export interface FeedProofRequest extends ProofRequest {
  feedId: string
  /** Index of the value; null for the newest. */
  index: number | null
  isAttesterIncluded: boolean
  evidence: AbsenceEvidenceFinder
  /** The items that are known to be on chain. A node that reports one as absent is wrong. */
  known: KnownOfFeed
}

/** The facts about a feed that follow from the event logs. */
export interface KnownOfFeed {
  readonly isListed: boolean
  readonly hasValue: boolean
}

/** Reads a feed with all its proofs at one state root. Returns null if it is not registered or has no such value. */
export async function createFeedProof(request: FeedProofRequest): Promise<FeedProof | null> {
  const { feedId, index, isAttesterIncluded, known, registries, block, switchBlocks } = request
  const fields = readingFields(feedId, index)
  const [feed, latest] = await Promise.all([
    readRegistry(request, 'FeedRegistry', known.isListed).then(async (registry) => ({
      ...registry,
      field: await registry.read(fields.FeedRegistry, known.isListed),
    })),
    readRegistry(request, 'AttestationRegistry', known.isListed).then(async (registry) => ({
      ...registry,
      ...(await readValue(request, registry, fields.AttestationRegistry)),
    })),
  ])
  if (feed.field === null || latest.value === null || latest.count === null) return null
  const reading = createReading(feedId, feed.field.value, latest.value.value)
  const attester = isAttesterIncluded ? { attester: await createAttesterProof(request, feed) } : {}
  return {
    format: 2,
    reading: readingToJson(reading),
    ...(index === null ? {} : { index }),
    count: latest.count.value,
    registries,
    items: [...feed.items, feed.field.item, ...latest.items, latest.value.item, latest.count.item],
    ...attester,
    block,
    switch_blocks: switchBlocks,
  }
}

/** Reads a value and the number of values. The value is null if the feed has none at this index, and its count agrees. */
async function readValue<T>(
  { feedId, index, known }: FeedProofRequest,
  { read }: ProvenRegistry,
  field: FieldRequest<T>,
): Promise<{ value: ProvenField<T> | null; count: ProvenField<number> | null }> {
  const [value, count] = await Promise.all([
    read(field, known.hasValue && index === null),
    read(attestationRegistryField.count(feedId), known.hasValue),
  ])
  const isCounted = (index ?? 0) < (count?.value ?? 0)
  return { value: value === null && isCounted ? await read(field, true) : value, count }
}

/** Reads a registry's package and contract. `isThere` if they are known to be on chain. */
export async function readRegistry(
  { state, stateRootHash, registries, signal }: ProofRequest,
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
  if (contractPackage === null) throw new PackageNotFoundError(registry, packageHash, 'no contract package')
  const contract = await query(contractKeyOf(registry, contractPackage.stored_value))
  if (contract === null) throw new PackageNotFoundError(registry, packageHash, 'no contract')
  const seedUref = stateUrefOf(registry, decodeContract(contract.stored_value))
  return {
    items: [contractPackage, contract],
    async read(field, isThere) {
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
  const items = await Promise.all(Array.from({ length: count }, (_, index) => read(fieldAt(index), true)))
  return items.filter((item) => item !== null)
}

/** `isThere` if the value is known to be on chain. */
const absenceOf = (isThere: boolean) => (isThere ? absentAsHidden : absentAsNull)
