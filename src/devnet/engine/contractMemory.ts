import { interpreterError } from './executionError.ts'

/** The memory of running code; everything throws an `ExecutionError` where it is out of bounds. */
export interface ContractMemory {
  /** A copy. */
  read(pointer: number, size: number): Uint8Array
  write(pointer: number, bytes: Uint8Array): void
  /** 4 bytes, little-endian. */
  writeU32(pointer: number, value: number): void
  /** 8 bytes, little-endian: where the node writes a size of its own machine. */
  writeU64(pointer: number, value: number): void
}

export function createContractMemory(memory: WebAssembly.Memory): ContractMemory {
  /** Taken anew each time: when the memory grows, the buffer of before is empty. */
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

/** Memories for the instances of modules. */
export interface MemoryPool {
  /** A memory of zeros. */
  take(size: MemorySize): WebAssembly.Memory
  /** What no instance uses any more, and the size that it was taken with. */
  giveBack(memory: WebAssembly.Memory, size: MemorySize): void
}

export interface MemorySize {
  /** In pages. */
  readonly initial: number
  readonly maximum: number
}

const PAGE_BYTES = 65_536

// As many as calls stand inside each other, as a rule.
const MAX_IDLE = 4

/**
 * Keeps memories that were used, because a new one takes longer than most calls: the runtime reserves gigabytes of
 * addresses for it, and collects all garbage once a few are there. One that has grown cannot shrink, and is let go.
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

/** The one that all engines of the process share. */
export const memories = createMemoryPool()
