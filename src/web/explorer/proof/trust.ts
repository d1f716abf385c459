import { signal } from '@preact/signals'
import { casperTest } from 'wattfeed'
import { shellWords } from '../../cite/shell.ts'
import type { TrustFields, TrustParam } from '../../cite/verifyCommand.ts'

/** The trusted block and registries, and the newest block verified from it. */
export interface Trust extends TrustFields {
  /** The newest switch block that this browser verified from `blockHash`, or null. */
  readonly checkpoint: { readonly hash: string; readonly verifiedAt: number } | null
}

export const publicNetwork: TrustFields = {
  blockHash: '',
  chainName: casperTest.chainName,
  feedRegistry: casperTest.feedRegistryPackageHash,
  attestationRegistry: casperTest.attestationRegistryPackageHash,
}

const KEY = 'wattfeed.trust'

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text)

/** The remembered trust; null until the reader enters a block hash. */
export const rememberedTrust = signal(readStored(), {
  watched: () => addEventListener('storage', followOtherTabs),
  unwatched: () => removeEventListener('storage', followOtherTabs),
})

/** Follows changes by other tabs. Otherwise the next check would restore a trust that another tab has removed. */
function followOtherTabs({ key }: StorageEvent): void {
  // The key is null when the storage was cleared.
  if (key === KEY || key === null) rememberedTrust.value = readStored()
}

/** Stores the trust in this browser only; null removes it. */
export function setTrust(trust: Trust | null): void {
  rememberedTrust.value = trust
  try {
    if (trust === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(trust))
  } catch {
    // Storage may be full or disabled. Then the trust is lost with the page.
  }
}

function readStored(): Trust | null {
  try {
    const stored: Partial<Trust> = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    const { blockHash = '', chainName = '', feedRegistry = '', attestationRegistry = '' } = stored
    const fields = { blockHash, chainName, feedRegistry, attestationRegistry }
    if (faultsOf(fields).size > 0) return null
    const { hash = '', verifiedAt = 0 } = stored.checkpoint ?? {}
    return { ...fields, checkpoint: isHash(hash) ? { hash, verifiedAt: Number(verifiedAt) } : null }
  } catch {
    return null
  }
}

/** Returns what is wrong with each invalid field. */
export function faultsOf(fields: TrustFields): ReadonlyMap<keyof TrustFields, string> {
  const faults = new Map<keyof TrustFields, string>()
  for (const name of ['blockHash', 'feedRegistry', 'attestationRegistry'] as const)
    if (!isHash(fields[name])) faults.set(name, 'Enter 64 hex digits.')
  if (fields.chainName === '') faults.set('chainName', 'Enter a name.')
  return faults
}

/** Removes spaces and prefixes around a copied hash. */
export const cleanHash = (text: string): string =>
  text.trim().replace(/^(block-|hash-|package-|contract-package-)+/i, '')

const fieldsByParam = {
  trust: 'blockHash',
  'chain-name': 'chainName',
  'feed-registry': 'feedRegistry',
  'attestation-registry': 'attestationRegistry',
} as const satisfies Record<TrustParam, keyof TrustFields>

/**
 * Reads trust fields from an address's fragment, which browsers do not send to servers. Returns only the given fields.
 */
export function parseFragment(fragment: string): Partial<TrustFields> {
  const parts = new URLSearchParams(fragment.slice(1))
  const named = Object.entries(fieldsByParam).map(([param, name]) => [name, parts.get(param)])
  return Object.fromEntries(named.filter(([, value]) => value !== null))
}

/** Reads trust fields from a `wattfeed verify` command. Returns only the given fields. */
export function parseCommand(text: string): Partial<TrustFields> {
  const names = new Map<string, keyof TrustFields>(Object.entries(fieldsByParam))
  const found: Partial<Record<keyof TrustFields, string>> = {}
  const words = shellWords(text).values()
  for (const word of words) {
    const [, param = '', given] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? []
    const name = names.get(param)
    if (name === undefined) continue
    // The next word is the value, even if it looks like a flag.
    const value = given ?? words.next().value
    if (value !== undefined) found[name] = value
  }
  return found
}
