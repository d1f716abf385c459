import { createCursor } from '@wattfeed/base'
import { addressKey, keyTags } from '@wattfeed/casper/types'
import { decodeInput, ExecutionError } from '../executionError.ts'
import type { TrackingCopy } from '../trackingCopy.ts'

/** The contracts of the network itself, by the names in its registry. */
export type SystemContract = 'mint' | 'handle payment' | 'auction'

/** The addresses of the system contracts. */
export interface SystemRegistry {
  /** Returns the name of a system contract; null for any other contract. */
  nameOf(contractHash: Uint8Array): SystemContract | null
  /** @throws {ExecutionError} when the network does not have it */
  hashOf(name: SystemContract | 'standard payment'): Uint8Array
}

/** The key of the registry. */
export const systemRegistryKey = (): Uint8Array =>
  addressKey(keyTags.systemEntityRegistry, new Uint8Array(32))

const names: readonly SystemContract[] = ['mint', 'handle payment', 'auction']

/** Reads the registry when it is first needed. A state without one has no system contracts. */
export function createSystemRegistry(state: TrackingCopy): SystemRegistry {
  let hashes: ReadonlyMap<string, Uint8Array> | null = null
  const read = (): ReadonlyMap<string, Uint8Array> => {
    hashes ??= readHashes(state)
    return hashes
  }
  return {
    nameOf(contractHash) {
      const known = read()
      return names.find((name) => isSame(known.get(name), contractHash)) ?? null
    },
    hashOf(name) {
      const hash = read().get(name)
      if (hash === undefined) throw new ExecutionError(`Missing system contract hash: ${name}`)
      return hash
    },
  }
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && Buffer.compare(a, b) === 0

/** Reads the registry without an effect, as a node does. */
function readHashes(state: TrackingCopy): ReadonlyMap<string, Uint8Array> {
  const stored = state.peek(systemRegistryKey())
  if (stored?.kind !== 'CLValue') return new Map()
  const { bytes } = stored.value
  return decodeInput(() => {
    const cursor = createCursor(bytes, 'CLValue')
    const hashes = new Map(cursor.list(() => [cursor.string(), cursor.bytes(32)]))
    cursor.end()
    return hashes
  }, 'CLValue error')
}
