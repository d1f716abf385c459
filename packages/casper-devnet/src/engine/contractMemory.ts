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
