import {
  findContractKey,
  type GlobalState,
  type OdraContract,
  PackageNotFoundError,
  readOdraContract,
} from '@wattfeed/casper'
import { ownEntryPoints, type RegistryName } from './layout.ts'

/** Maximum age of a lookup. An older one would still work, because an upgrade keeps the URefs. */
const RESOLVE_AGAIN_AFTER_MS = 60_000

/** Locates the fields and events of a registry. */
export interface RegistryContract {
  readonly name: RegistryName
  /** 64 hex digits. */
  readonly packageHash: string
  /** Starts a lookup of the newest contract version if one is due. {@link RegistryContract.at} waits for it. */
  prefetch(): void
  /** Returns the registry's contract. Reads it at this state root unless it is known. */
  at(stateRootHash: string): Promise<OdraContract>
  /** Returns whether the contract was read at exactly this state root, which proves that it exists there. */
  seenAt(stateRootHash: string): boolean
  /** Discards the lookup, so that the next prefetch starts a new one. */
  forget(): void
}

/** The contracts that wattfeed reads. */
export interface Registries {
  feedRegistry: RegistryContract
  attestationRegistry: RegistryContract
}

/** Discards both lookups, because the contracts may have been upgraded. */
export function lookUpAgain({ feedRegistry, attestationRegistry }: Registries): void {
  feedRegistry.forget()
  attestationRegistry.forget()
}

/** A lookup of the key of a package's newest contract. */
interface Lookup {
  startedAt: number
  pending: Promise<string>
  /** Null until found. */
  key: string | null
}

/**
 * Creates a registry. Its package is looked up at the first state root, then every minute, and after a failed read.
 *
 * @param lookUpAt - `root` looks up at the state root being read, which proofs require; `newest` at the newest block.
 */
export function createRegistryContract(
  state: GlobalState,
  name: RegistryName,
  packageHash: string,
  now: () => number,
  lookUpAt: 'newest' | 'root' = 'newest',
): RegistryContract {
  let known: { key: string; contract: OdraContract; stateRootHash: string } | null = null
  let isDoubted = false
  let reading: Promise<OdraContract> | null = null
  let lookup: Lookup | null = null

  const isDue = (): boolean => lookup === null || now() - lookup.startedAt >= RESOLVE_AGAIN_AFTER_MS

  function lookUp(stateRootHash: string | null): Promise<string> {
    const pending = findContractKey(state, name, packageHash, lookUpAt === 'root' ? stateRootHash : null)
    const started: Lookup = { startedAt: now(), pending, key: null }
    lookup = started
    pending.then(
      (key) => {
        started.key = key
      },
      () => {
        // As long as the known contract works, there is no hurry: the next lookup starts when it is due.
        if (lookup === started && (known === null || isDoubted)) lookup = null
      },
    )
    return pending
  }

  /** Waits for a lookup only if no contract is known or the known one is in doubt. */
  async function findKey(stateRootHash: string): Promise<string> {
    if (lookUpAt === 'root' && isDue()) lookUp(stateRootHash)
    if (known && !isDoubted) return lookup?.key ?? known.key
    const found = lookup?.pending ?? lookUp(stateRootHash)
    const fallback = known?.key
    return fallback === undefined ? found : found.catch(() => fallback)
  }

  async function readContract(key: string, stateRootHash: string): Promise<OdraContract | null> {
    const contract = await readOdraContract(state, name, key, stateRootHash, [
      ownEntryPoints[name],
      'attest_many',
    ])
    if (contract === null) return null
    assertKind(contract, name, packageHash)
    isDoubted = false
    known = { key, contract, stateRootHash }
    return contract
  }

  async function read(newestKey: string, stateRootHash: string): Promise<OdraContract> {
    // Null if the upgrade is newer than this root. An upgrade keeps the URefs, so the known contract still works.
    const newest = (await readContract(newestKey, stateRootHash)) ?? known?.contract
    if (newest) return newest
    const key = await findContractKey(state, name, packageHash, stateRootHash)
    const contract = await readContract(key, stateRootHash)
    if (contract === null) throw new PackageNotFoundError(name, packageHash, 'no contract')
    return contract
  }

  return {
    name,
    packageHash,
    prefetch() {
      if (lookUpAt === 'newest' && isDue()) lookUp(null)
    },
    async at(stateRootHash) {
      const key = await findKey(stateRootHash)
      if (known?.key === key && !isDoubted) return known.contract
      reading ??= read(key, stateRootHash).finally(() => {
        reading = null
      })
      return reading
    },
    seenAt: (stateRootHash) => !isDoubted && known?.stateRootHash === stateRootHash,
    forget() {
      isDoubted = true
      lookup = null
    },
  }
}

/** @throws {PackageNotFoundError} when it is another kind of contract, because the package hashes may be swapped. */
function assertKind({ entryPoints }: OdraContract, name: RegistryName, packageHash: string): void {
  const wanted = ownEntryPoints[name]
  if (!entryPoints.has(wanted))
    throw new PackageNotFoundError(name, packageHash, `no contract with the entry point "${wanted}"`)
}
