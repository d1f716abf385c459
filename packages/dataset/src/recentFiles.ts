/** A file that was read and parsed. */
export interface ParsedFile<T> {
  readonly parsed: T
  /** Its size. */
  readonly bytes: number
}

/** Keeps the parsed files that were used last. Concurrent reads of one file share it, and a failure is not kept. */
export class RecentFiles<T> {
  // In the order of their last use.
  readonly #kept = new Map<string, Promise<ParsedFile<T>>>()
  readonly #sizes = new Map<string, number>()
  readonly #maxBytes: number
  #bytes = 0

  /** @param maxBytes - of all files together. The newest is kept, whatever its size. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns a file, and reads it if it is not kept. */
  async get(path: string, read: () => Promise<ParsedFile<T>>): Promise<T> {
    const known = this.#kept.get(path)
    const reading = known ?? read()
    this.#kept.delete(path)
    this.#kept.set(path, reading)
    if (known === undefined)
      reading.then(
        ({ bytes }) => this.#count(path, bytes, reading),
        () => this.#forget(path, reading),
      )
    return (await reading).parsed
  }

  #forget(path: string, reading: Promise<ParsedFile<T>>): void {
    if (this.#kept.get(path) === reading) this.#kept.delete(path)
  }

  #count(path: string, bytes: number, reading: Promise<ParsedFile<T>>): void {
    // It may have been dropped while it was read.
    if (this.#kept.get(path) !== reading) return
    this.#sizes.set(path, bytes)
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === path) return
      this.#bytes -= this.#sizes.get(oldest) ?? 0
      this.#sizes.delete(oldest)
      this.#kept.delete(oldest)
    }
  }
}
