import { type AbortSignalLike, type Cursor, cacheRead } from '@wattfeed/base'
import {
  absentAsHidden,
  absentAsNull,
  type FieldRead,
  type GlobalState,
  PackageNotFoundError,
  readAddress,
  readField,
} from '@wattfeed/casper'
import type { RegistryContract } from './registryContract.ts'

/** A field of a registry, or an entry of a mapping. */
export interface FieldRequest<T> {
  /** Number of the field in the registry's layout. */
  field: number
  /** `bytesrepr` of the mapping's key; undefined for a plain variable. */
  key?: Uint8Array
  /** Names the field in errors: `feeds[EIA.PET.PRICE.WTI.DAILY]`. */
  what: string
  read: (cursor: Cursor) => T
}

/** Reads the registries at one state root. */
export interface RootReader {
  readonly state: GlobalState
  readonly stateRootHash: string
  /** Increases with every new state root. */
  readonly sequence: number
  /** Aborts the reads. */
  readonly signal: AbortSignalLike | undefined
  /** Reads a field; returns null if it has no value on chain. */
  readField<T>(registry: RegistryContract, request: FieldRequest<T>): Promise<T | null>
  /** Reads a field that is known to have a value. A node that reports it as absent is at fault. */
  readKnownField<T>(registry: RegistryContract, request: FieldRequest<T>): Promise<T>
  /** Records that the registry exists at this root. Absent fields then need no further check. */
  confirm(registry: RegistryContract): void
}

// `init` writes the first field of both registries: FeedRegistry's owner, AttestationRegistry's attester.
const FIELD_OF_INIT = 1

/** Creates a reader of the same state root with another state. */
export const readerOf = (
  state: GlobalState,
  { stateRootHash, sequence }: Pick<RootReader, 'stateRootHash' | 'sequence'>,
): RootReader => createRootReader(state, stateRootHash, sequence)

export function createRootReader(
  state: GlobalState,
  stateRootHash: string,
  sequence: number,
  signal?: AbortSignalLike,
): RootReader {
  const present = new Map<RegistryContract, Promise<void>>()

  async function read<T, Absent>(
    registry: RegistryContract,
    request: FieldRequest<T>,
    absent: FieldRead<T, Absent>['absent'],
  ): Promise<T | Absent> {
    const { stateUref } = await registry.at(stateRootHash)
    const what = `${registry.name}.${request.what}`
    return readField(state, { ...request, stateRootHash, stateUref, what, absent, signal })
  }

  /** Asserts that the registry exists, because nodes return the same error for a missing registry and an absent item. */
  async function assertPresent(registry: RegistryContract): Promise<void> {
    if (registry.seenAt(stateRootHash)) return
    const initialized = await read(
      registry,
      { field: FIELD_OF_INIT, what: 'init', read: readAddress },
      absentAsNull,
    )
    if (initialized !== null) return
    registry.forget()
    throw new PackageNotFoundError(registry.name, registry.packageHash, 'no initialized contract')
  }

  const assertPresentOnce = (registry: RegistryContract): Promise<void> =>
    cacheRead(present, registry, () => assertPresent(registry))

  return {
    state,
    stateRootHash,
    sequence,
    signal,
    async readField(registry, request) {
      const value = await read(registry, request, absentAsNull)
      if (value !== null) return value
      await assertPresentOnce(registry)
      return null
    },
    readKnownField: (registry, request) => read(registry, request, absentAsHidden),
    confirm(registry) {
      present.set(registry, Promise.resolve())
    },
  }
}
