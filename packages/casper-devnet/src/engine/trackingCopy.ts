import {
  decodeStoredValue,
  encodeStoredValue,
  normalizeKey,
  type StoredValue,
  stateKey,
} from '@wattfeed/casper/types'
import type { Effect, Transform } from './transform.ts'

/** A transaction's view of global state: the committed state with the transaction's writes. */
export interface TrackingCopy {
  /** Reads the value of a key, or null. Records the read of an existing value as an effect. */
  read(key: Uint8Array): StoredValue | null
  /** Reads the value of a key, or null, without recording an effect. */
  peek(key: Uint8Array): StoredValue | null
  /** Writes a value. @param stored `bytesrepr` of the value */
  write(key: Uint8Array, stored: Uint8Array): void
  /** Writes a value, but records the transform as the effect. */
  transform(key: Uint8Array, stored: StoredValue, transform: Transform): void
  prune(key: Uint8Array): void
  /** Lists the state keys with a prefix, sorted. */
  listKeys(prefix: string): string[]
  readonly effects: readonly Effect[]
  /** Values by state key; null prunes the key. */
  readonly writes: ReadonlyMap<string, Uint8Array | null>
}

/** Values by the lower-case hex of their serialized keys. */
export interface StateReader {
  readonly read: (key: string) => Uint8Array | null
}

/** The state before a transaction. */
export interface CommittedState extends StateReader {
  /** Lists the keys with a prefix: a contract's message topics (`1302…`). */
  readonly listKeys: (prefix: string) => Iterable<string>
}

export function createTrackingCopy(committed: CommittedState): TrackingCopy {
  const effects: Effect[] = []
  const writes = new Map<string, Uint8Array | null>()
  const push = (key: Uint8Array, transform: Transform): void => {
    effects.push({ key: normalizeKey(key), transform })
  }
  const peek = (key: Uint8Array): StoredValue | null => {
    const name = stateKey(key)
    const written = writes.get(name)
    const stored = written === undefined ? committed.read(name) : written
    return stored === null ? null : decodeStoredValue(stored)
  }
  return {
    effects,
    writes,
    peek,
    read(key) {
      const stored = peek(key)
      if (stored !== null) push(key, { kind: 'Identity' })
      return stored
    },
    write(key, stored) {
      writes.set(stateKey(key), stored)
      push(key, { kind: 'Write', stored })
    },
    transform(key, stored, transform) {
      writes.set(stateKey(key), encodeStoredValue(stored))
      push(key, transform)
    },
    prune(key) {
      writes.set(stateKey(key), null)
      push(key, { kind: 'Prune', key })
    },
    listKeys(prefix) {
      const known = [...committed.listKeys(prefix), ...writes.keys()]
      const found = new Set(known.filter((key) => key.startsWith(prefix) && writes.get(key) !== null))
      return [...found].sort()
    },
  }
}
