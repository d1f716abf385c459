import { interpreterError } from './executionError.ts'

/** The memory of running code. All methods throw an `ExecutionError` when an access is out of bounds. */
export interface ContractMemory {
  /** Returns a copy. */
  read(pointer: number, size: number): Uint8Array
  write(pointer: number, bytes: Uint8Array): void
  /** Writes 4 bytes, little-endian. */
  writeU32(pointer: number, value: number): void
  /** Writes 8 bytes, little-endian, like the node writes a `usize`. */
  writeU64(pointer: number, value: number): void
}

export function createContractMemory(memory: WebAssembly.Memory): ContractMemory {
  // The buffer is not cached, because growing the memory detaches it.
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
