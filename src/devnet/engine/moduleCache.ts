import { blake2b } from '../blake2b.ts'
import type { Chainspec } from '../chainspec.ts'
import { type LoadedModule, loadSession, loadStored } from './loadedModule.ts'

/** Code that was loaded before is loaded at once. */
export interface ModuleCache {
  /** Code that a transaction brings along. Throws an `ExecutionError`. */
  session(wasm: Uint8Array): LoadedModule
  /** The code that stands under an address. Throws an `ExecutionError`. */
  stored(address: Uint8Array, wasm: Uint8Array): LoadedModule
  /** Code is about to be stored that is a part of running code, which can do the same and is compiled already. */
  adopt(address: Uint8Array, wasm: Uint8Array, running: LoadedModule): void
}

/** What was loaded, and of which bytes. */
interface Entry {
  readonly wasm: Uint8Array
  readonly module: LoadedModule
}

// A dozen versions of the registries and their gate, each as it was sent and as it was stored.
const MAX_MODULES = 72

/** One for all engines of the process that have the same costs: loading takes most of the time of an installation. */
const caches = new WeakMap<Chainspec, ModuleCache>()

/** The modules that were loaded under a chainspec; those that were not wanted for longest are forgotten. */
export function modulesOf(chainspec: Chainspec): ModuleCache {
  const known = caches.get(chainspec)
  if (known !== undefined) return known
  const created = createModuleCache(chainspec)
  caches.set(chainspec, created)
  return created
}

function createModuleCache(chainspec: Chainspec): ModuleCache {
  const entries = new Map<string, Entry>()
  const keep = (name: string, wasm: Uint8Array, module: LoadedModule): LoadedModule => {
    entries.delete(name)
    entries.set(name, { wasm, module })
    if (entries.size > MAX_MODULES) entries.delete(entries.keys().next().value ?? '')
    return module
  }
  // Comparing all bytes takes a twentieth of the time of hashing them, and every call of a contract comes by here.
  const find = (name: string, wasm: Uint8Array): LoadedModule | undefined => {
    const entry = entries.get(name)
    return entry !== undefined && Buffer.compare(entry.wasm, wasm) === 0 ? entry.module : undefined
  }
  return {
    session(wasm) {
      const name = `session ${blake2b(wasm).toHex()}`
      return keep(name, wasm, find(name, wasm) ?? loadSession(wasm, chainspec))
    },
    stored(address, wasm) {
      const name = `stored ${address.toHex()}`
      return keep(name, wasm, find(name, wasm) ?? loadStored(wasm, chainspec))
    },
    adopt(address, wasm, running) {
      keep(`stored ${address.toHex()}`, wasm, { ...running, module: null })
    },
  }
}
