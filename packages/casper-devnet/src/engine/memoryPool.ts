export interface MemorySize {
  /** Pages of 64 KiB. */
  readonly initial: number
  readonly maximum: number
}

const PAGE_BYTES = 65_536

// Typical depth of nested calls.
const MAX_IDLE = 4

/**
 * Memories for reuse by all engines of the process. Creating one takes longer than most calls: the runtime reserves gigabytes
 * of address space, and a few memories trigger a full garbage collection.
 */
const idle: { memory: WebAssembly.Memory; size: MemorySize }[] = []

/** Returns a zeroed memory. */
export function takeMemory({ initial, maximum }: MemorySize): WebAssembly.Memory {
  const index = idle.findIndex(({ size }) => size.initial === initial && size.maximum === maximum)
  const [found] = index < 0 ? [] : idle.splice(index, 1)
  if (found === undefined) return new WebAssembly.Memory({ initial, maximum })
  new Uint8Array(found.memory.buffer).fill(0)
  return found.memory
}

/** Drops a memory that has grown, because it cannot shrink. @param size the one of `takeMemory` */
export function giveBackMemory(memory: WebAssembly.Memory, size: MemorySize): void {
  if (memory.buffer.byteLength !== size.initial * PAGE_BYTES) return
  idle.push({ memory, size })
  if (idle.length > MAX_IDLE) idle.shift()
}
