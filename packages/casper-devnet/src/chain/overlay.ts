import { decodeStoredValue, type StoredValue, stateKey } from '@wattfeed/casper/types'
import type { CommittedState, StateReader } from '../engine/trackingCopy.ts'

/** A state with writes on top. */
export interface Overlay extends CommittedState {
  write(key: string, value: Uint8Array | null): void
  /** All writes; null prunes the key. */
  readonly writes: ReadonlyMap<string, Uint8Array | null>
}

export function createOverlay(state: CommittedState): Overlay {
  const writes = new Map<string, Uint8Array | null>()
  return {
    writes,
    read(key) {
      const written = writes.get(key)
      return written === undefined ? state.read(key) : written
    },
    write: (key, value) => void writes.set(key, value),
    listKeys(prefix) {
      const listed = new Set(state.listKeys(prefix))
      for (const [key, value] of writes) {
        if (value === null) listed.delete(key)
        else if (key.startsWith(prefix)) listed.add(key)
      }
      return listed
    },
  }
}

/** Reads the value of a serialized key; null if nothing is stored. */
export function readValue(state: StateReader, key: Uint8Array): StoredValue | null {
  const stored = state.read(stateKey(key))
  return stored === null ? null : decodeStoredValue(stored)
}
