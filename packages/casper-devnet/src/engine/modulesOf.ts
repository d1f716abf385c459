import type { Chainspec } from '../chainspec.ts'
import type { LoadedModule, ModuleCache } from './loadedModule.ts'
import { loadSession, loadStored } from './loadModule.ts'

interface Entry {
  readonly wasm: Uint8Array
  readonly module: LoadedModule
}

// Enough for a dozen versions of the registries and the gate, each as sent and as stored.
const MAX_MODULES = 72

/** Caches by chainspec. Engines share them, because loading takes most of the time of an installation. */
const caches = new WeakMap<Chainspec, ModuleCache>()

/** Returns the cache of a chainspec. It evicts the least recently used module. */
export function modulesOf(chainspec: Chainspec): ModuleCache {
  const existing = caches.get(chainspec)
  if (existing !== undefined) return existing
  const created = createModuleCache(chainspec)
  caches.set(chainspec, created)
  return created
}

function createModuleCache(chainspec: Chainspec): ModuleCache {
  const entries = new Map<string, Entry>()
  const cache = (name: string, wasm: Uint8Array, module: LoadedModule): LoadedModule => {
    entries.delete(name)
    entries.set(name, { wasm, module })
    if (entries.size > MAX_MODULES) entries.delete(entries.keys().next().value ?? '')
    return module
  }
  // Every contract call does this lookup. A cryptographic hash would take twenty times as long as comparing the bytes.
  const find = (name: string, wasm: Uint8Array): LoadedModule | undefined => {
    const entry = entries.get(name)
    return entry !== undefined && Buffer.compare(entry.wasm, wasm) === 0 ? entry.module : undefined
  }
  return {
    session(wasm) {
      const name = `session ${Bun.hash(wasm)}`
      return cache(name, wasm, find(name, wasm) ?? loadSession(wasm, chainspec))
    },
    stored(address, wasm) {
      const name = `stored ${address.toHex()}`
      return cache(name, wasm, find(name, wasm) ?? loadStored(wasm, chainspec))
    },
    adopt(address, wasm, running) {
      cache(`stored ${address.toHex()}`, wasm, { ...running, source: wasm })
    },
  }
}
