import { normalizeKey, stateKey } from '../../casper/types/key.ts'
import { decodeStoredValue, encodeStoredValue, type StoredValue } from '../../casper/types/storedValue.ts'
import type { Effect, Transform } from './transform.ts'

/** Global state as one transaction sees it: what it wrote, over what was committed before. */
export interface TrackingCopy {
  /** What a key names, or null; a value that is there is noted as read. */
  read(key: Uint8Array): StoredValue | null
  /** The same, and nothing is noted. */
  peek(key: Uint8Array): StoredValue | null
  /** @param stored `bytesrepr` of the value. */
  write(key: Uint8Array, stored: Uint8Array): void
  /** Writes a value, and notes another transform than that it was written. */
  transform(key: Uint8Array, stored: StoredValue, transform: Transform): void
  prune(key: Uint8Array): void
  /** State keys that start with a prefix, in their order. */
  listKeys(prefix: string): string[]
  readonly effects: readonly Effect[]
  /** By state key; null prunes. */
  readonly writes: ReadonlyMap<string, Uint8Array | null>
}

/** The committed state that a transaction runs on; keys are lower-case hex. */
export interface CommittedState {
  read(key: string): Uint8Array | null
  listKeys(prefix: string): Iterable<string>
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
