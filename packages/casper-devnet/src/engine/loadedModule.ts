import type { MemorySize } from './memoryPool.ts'
import type { InstrumentedModule } from './wasm/instrumentedModule.ts'

export interface LoadedModule {
  readonly compiled: WebAssembly.Module
  readonly memorySize: MemorySize
  /** Names of the imported functions, except the one that charges gas. */
  readonly hostFunctions: readonly string[]
  /** The module from which contracts are installed: decoded, or as it is stored. */
  readonly source: InstrumentedModule | Uint8Array
}

export interface ModuleCache {
  /** @throws {ExecutionError} when a node rejects the code */
  session(wasm: Uint8Array): LoadedModule
  /** @throws {ExecutionError} when it cannot be compiled */
  stored(address: Uint8Array, wasm: Uint8Array): LoadedModule
  /** Caches already compiled code under the address at which a reduced copy of it will be stored. */
  adopt(address: Uint8Array, wasm: Uint8Array, running: LoadedModule): void
}
