import type { GlobalState } from '../casper/state/globalState.ts'
import {
  findContractKey,
  type OdraContract,
  PackageNotFoundError,
  readOdraContract,
} from '../odra/contract.ts'
import { ownEntryPoints, type RegistryName } from '../registry/layout.ts'

/** An upgrade keeps the URefs, so an old lookup still works: this only limits how long it is trusted. */
const RESOLVE_AGAIN_AFTER_MS = 60_000

/** Knows where one registry keeps its fields and events. */
export interface Registry {
  readonly name: RegistryName
  /** 64 hex digits. */
  readonly packageHash: string
  /** Starts looking up the newest contract version if that is due, for {@link Registry.at} to wait for. */
  prefetch(): void
  /** Returns the registry's contract, reading it at this state root unless it is known. */
  at(stateRootHash: string): Promise<OdraContract>
  /** Whether the contract was read at exactly this state root, so that it exists there. */
  seenAt(stateRootHash: string): boolean
  /** Looks the contract up again at the next prefetch. */
  forget(): void
}

/**
 * Creates a registry, whose package is looked up with the first root, then every minute, and after a failed read.
 *
 * @param lookUpAt - `root` looks up at the state root being read, as proofs require; `newest` at the node's newest block.
 */
export function createRegistry(
  state: GlobalState,
  name: RegistryName,
  packageHash: string,
  now: () => number,
  lookUpAt: 'newest' | 'root' = 'newest',
): Registry {
  let known: { key: string; contract: OdraContract; stateRootHash: string } | null = null
  let reading: Promise<OdraContract> | null = null
  let newestKey: string | null = null
  let lookup: Promise<string> | null = null
  let lookedUpAt = Number.NEGATIVE_INFINITY
  let doubted = false

  const isDue = (): boolean => now() - lookedUpAt >= RESOLVE_AGAIN_AFTER_MS

  function lookUp(stateRootHash: string | null): Promise<string> {
    lookedUpAt = now()
    lookup = findContractKey(state, name, packageHash, lookUpAt === 'root' ? stateRootHash : null)
    lookup.then(
      (key) => {
        newestKey = key
      },
      () => {
        if (known && !doubted) return
        lookup = null
        lookedUpAt = Number.NEGATIVE_INFINITY
      },
    )
    return lookup
  }

  /** Returns the known key while a lookup is pending, and waits for that only if the known key is in doubt. */
  async function findKey(stateRootHash: string): Promise<string> {
    if (lookUpAt === 'root' && isDue()) lookUp(stateRootHash)
    if (newestKey !== null) return newestKey
    if (known === null) return lookup ?? lookUp(stateRootHash)
    const fallback = known.key
    return doubted ? (lookup ?? lookUp(stateRootHash)).catch(() => fallback) : fallback
  }

  async function read(key: string, stateRootHash: string): Promise<OdraContract> {
    try {
      const contract = await readOdraContract(state, name, key, stateRootHash)
      if (contract) return keep(key, contract, stateRootHash)
      // An upgrade newer than this root. It keeps the URefs, so the known contract still works.
      return known?.contract ?? (await readAsOf(stateRootHash))
    } finally {
      reading = null
    }
  }

  async function readAsOf(stateRootHash: string): Promise<OdraContract> {
    const key = await findContractKey(state, name, packageHash, stateRootHash)
    const contract = await readOdraContract(state, name, key, stateRootHash)
    if (contract === null) throw new PackageNotFoundError(name, packageHash, 'no contract')
    return keep(key, contract, stateRootHash)
  }

  function keep(key: string, contract: OdraContract, stateRootHash: string): OdraContract {
    assertKind(contract)
    doubted = false
    known = { key, contract, stateRootHash }
    return contract
  }

  function assertKind({ entryPoints }: OdraContract): void {
    const wanted = ownEntryPoints[name]
    if (!entryPoints.has(wanted))
      throw new PackageNotFoundError(name, packageHash, `no contract with the entry point "${wanted}"`)
  }

  return {
    name,
    packageHash,
    prefetch() {
      if (lookUpAt === 'newest' && isDue()) lookUp(null)
    },
    async at(stateRootHash) {
      const key = await findKey(stateRootHash)
      if (known?.key === key && !doubted) return known.contract
      reading ??= read(key, stateRootHash)
      return reading
    },
    seenAt: (stateRootHash) => !doubted && known?.stateRootHash === stateRootHash,
    forget() {
      doubted = true
      newestKey = null
      lookup = null
      lookedUpAt = Number.NEGATIVE_INFINITY
    },
  }
}
