/** Memories for the instances of one module. */
export interface MemoryPool {
  /** A memory of zeros. */
  take(): WebAssembly.Memory
  /** What no instance uses any more. */
  giveBack(memory: WebAssembly.Memory): void
}

export interface MemorySize {
  /** In pages. */
  readonly initial: number
  readonly maximum: number
}

const PAGE_BYTES = 65_536

// As many as calls stand inside each other, as a rule.
const MOST_IDLE = 2

/**
 * Keeps memories that were used, because a new one takes longer than most calls: the runtime reserves gigabytes of
 * addresses for it. One that has grown cannot shrink, and is let go.
 */
export function createMemoryPool(size: MemorySize): MemoryPool {
  const idle: WebAssembly.Memory[] = []
  const bytes = size.initial * PAGE_BYTES
  return {
    take() {
      const memory = idle.pop()
      if (memory === undefined) return new WebAssembly.Memory({ ...size })
      new Uint8Array(memory.buffer).fill(0)
      return memory
    },
    giveBack(memory) {
      if (memory.buffer.byteLength === bytes && idle.length < MOST_IDLE) idle.push(memory)
    },
  }
}
