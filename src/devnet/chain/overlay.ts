/** Values by the lower-case hex of their serialized keys. */
export interface State {
  read(key: string): Uint8Array | null
  listKeys(prefix: string): Iterable<string>
}

export interface Overlay extends State {
  write(key: string, value: Uint8Array | null): void
  /** All writes; null prunes the key. */
  readonly writes: ReadonlyMap<string, Uint8Array | null>
}

export function createOverlay(state: State): Overlay {
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
