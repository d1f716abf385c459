import { interpreterError } from './executionError.ts'

/** The memory of running code. All methods throw an `ExecutionError` if out of bounds. */
export interface ContractMemory {
  /** Returns a copy. */
  read(pointer: number, size: number): Uint8Array
  write(pointer: number, bytes: Uint8Array): void
  /** 4 bytes, little-endian. */
  writeU32(pointer: number, value: number): void
  /** 8 bytes, little-endian: where the node writes a `usize`. */
  writeU64(pointer: number, value: number): void
}

export function createContractMemory(memory: WebAssembly.Memory): ContractMemory {
  // Not cached: growing the memory detaches its old buffer.
  const region = (pointer: number, size: number): Uint8Array => {
    const end = pointer + size
    const { byteLength } = memory.buffer
    if (end > byteLength)
      throw interpreterError(`trying to access region [${pointer}..${end}] in memory [0..${byteLength}]`)
    return new Uint8Array(memory.buffer, pointer, size)
  }
  const view = (pointer: number, size: number): DataView => {
    const { buffer, byteOffset } = region(pointer, size)
    return new DataView(buffer, byteOffset, size)
  }
  return {
    read: (pointer, size) => region(pointer, size).slice(),
    write: (pointer, bytes) => region(pointer, bytes.length).set(bytes),
    writeU32: (pointer, value) => view(pointer, 4).setUint32(0, value, true),
    writeU64: (pointer, value) => view(pointer, 8).setBigUint64(0, BigInt(value), true),
  }
}

/** A pool of memories for module instances. */
export interface MemoryPool {
  /** Returns a zeroed memory. */
  take(size: MemorySize): WebAssembly.Memory
  /** Returns an unused memory to the pool, with the size that it was taken with. */
  giveBack(memory: WebAssembly.Memory, size: MemorySize): void
}

export interface MemorySize {
  /** In pages. */
  readonly initial: number
  readonly maximum: number
}

const PAGE_BYTES = 65_536

// The usual depth of nested calls.
const MAX_IDLE = 4

/**
 * Reuses memories because creating one takes longer than most calls: the runtime reserves gigabytes of addresses for it,
 * and a few of them trigger a full garbage collection. A memory that has grown cannot shrink and is dropped.
 */
export function createMemoryPool(): MemoryPool {
  const idle: { memory: WebAssembly.Memory; size: MemorySize }[] = []
  return {
    take({ initial, maximum }) {
      const index = idle.findIndex(({ size }) => size.initial === initial && size.maximum === maximum)
      const [found] = index < 0 ? [] : idle.splice(index, 1)
      if (found === undefined) return new WebAssembly.Memory({ initial, maximum })
      new Uint8Array(found.memory.buffer).fill(0)
      return found.memory
    },
    giveBack(memory, size) {
      if (memory.buffer.byteLength !== size.initial * PAGE_BYTES) return
      idle.push({ memory, size })
      if (idle.length > MAX_IDLE) idle.shift()
    },
  }
}

/** The pool shared by all engines of the process. */
export const memories = createMemoryPool()
