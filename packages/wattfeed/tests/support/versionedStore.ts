/** A map with the history of its versions. */
export interface VersionedStore<Value> {
  /** Writes to the unpublished version. */
  set(key: string, value: Value): void
  /** Returns the value at a published version. */
  at(key: string, version: number): Value | undefined
}

/** @param unpublished returns the number of the version to write to */
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
