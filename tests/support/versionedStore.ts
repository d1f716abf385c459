/** A map that remembers what it held at every version. */
export interface VersionedStore<Value> {
  /** Writes into the version that is not published yet. */
  set(key: string, value: Value): void
  /** What the map held at a published version. */
  at(key: string, version: number): Value | undefined
}

/** `unpublished` tells the number of the version that writes go to. */
export function createVersionedStore<Value>(unpublished: () => number): VersionedStore<Value> {
  const entries = new Map<string, { version: number; value: Value }[]>()
  return {
    set(key, value) {
      const written = { version: unpublished(), value }
      const known = entries.get(key)
      if (known === undefined) entries.set(key, [written])
      else known.push(written)
    },
    at: (key, version) => entries.get(key)?.findLast((each) => each.version <= version)?.value,
  }
}
