import type { AbortSignalLike } from '../async/webTypes.ts'
import type { Cursor } from '../bytes/cursor.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { type DictionaryItemRequest, getDictionaryItem, getKnownItem } from '../casper/state/globalState.ts'
import { readAddress } from '../casper/types/address.ts'
import { PackageNotFoundError } from '../odra/contract.ts'
import { decodeField } from '../odra/field.ts'
import { itemKey } from '../odra/itemKey.ts'
import type { Registry } from './registry.ts'

/** One field of a registry, or one entry of a mapping. */
export interface FieldRequest<T> {
  /** The field's number in the registry's layout. */
  field: number
  /** `bytesrepr` of the mapping's key; absent for a plain variable. */
  key?: Uint8Array
  /** Names the field in errors: `feeds[EIA.PET.PRICE.WTI.DAILY]`. */
  what: string
  read: (cursor: Cursor) => T
}

/** Reads the registries at one state root. */
export interface RootReader {
  readonly rpc: Rpc
  readonly stateRootHash: string
  /** Grows with every new state root. */
  readonly sequence: number
  /** Aborts its reads. */
  readonly signal: AbortSignalLike | undefined
  /** Reads a field; null if the chain holds no value. */
  readField<T>(registry: Registry, request: FieldRequest<T>): Promise<T | null>
  /** Reads a field that is known to hold a value, so that a node that reports it as absent is at fault. */
  readKnownField<T>(registry: Registry, request: FieldRequest<T>): Promise<T>
  /** Records that the registry exists at this root, so that an absent field is just that. */
  confirm(registry: Registry): void
}

// The first field of both registries is written by `init`: owner and first-party attester.
const FIELD_OF_INIT = 1

/** Creates a reader at a state root. */
export function createRootReader(
  rpc: Rpc,
  stateRootHash: string,
  sequence: number,
  signal?: AbortSignalLike,
): RootReader {
  const present = new Map<Registry, Promise<void>>()

  async function itemOf<T>(registry: Registry, request: FieldRequest<T>): Promise<DictionaryItemRequest<T>> {
    const { stateUref } = await registry.at(stateRootHash)
    const what = `${registry.name}.${request.what}`
    return {
      stateRootHash,
      seedUref: stateUref,
      itemKey: itemKey(request.field, request.key),
      what,
      signal,
      decode: (bytes) => decodeField(bytes, what, request.read),
    }
  }

  async function readItem<T>(registry: Registry, request: FieldRequest<T>): Promise<T | null> {
    return getDictionaryItem(rpc, await itemOf(registry, request))
  }

  /** Rules out a missing registry, for which nodes answer the same as for an absent item. */
  async function assertPresent(registry: Registry): Promise<void> {
    if (registry.seenAt(stateRootHash)) return
    const initialized = await readItem(registry, { field: FIELD_OF_INIT, what: 'init', read: readAddress })
    if (initialized !== null) return
    registry.forget()
    throw new PackageNotFoundError(registry.name, registry.packageHash, 'no initialized contract')
  }

  function confirmed(registry: Registry): Promise<void> {
    const known = present.get(registry)
    if (known) return known
    const check = assertPresent(registry)
    present.set(registry, check)
    check.catch(() => present.delete(registry))
    return check
  }

  return {
    rpc,
    stateRootHash,
    sequence,
    signal,
    async readField(registry, request) {
      const value = await readItem(registry, request)
      if (value !== null) return value
      await confirmed(registry)
      return null
    },
    readKnownField: async (registry, request) => getKnownItem(rpc, await itemOf(registry, request)),
    confirm(registry) {
      present.set(registry, Promise.resolve())
    },
  }
}
