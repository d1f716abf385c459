import { signal } from '@preact/signals'
import { casperTest } from '../../client/networks.ts'

/** What the reader trusts, and what this browser verified from there. */
export interface Trust {
  /** The hash of a switch block: 64 hex digits. */
  readonly blockHash: string
  readonly chainName: string
  /** 64 hex digits. */
  readonly feedRegistry: string
  /** 64 hex digits. */
  readonly attestationRegistry: string
  /** The newest switch block that this browser verified from `blockHash`, or null. */
  readonly checkpoint: { readonly hash: string; readonly verifiedAt: number } | null
}

/** What {@link Trust} holds of texts, as the reader types them. */
export type TrustFields = Omit<Trust, 'checkpoint'>

/** What is filled in before the reader names another network. */
export const publicNetwork: TrustFields = {
  blockHash: '',
  chainName: casperTest.chainName,
  feedRegistry: casperTest.feedRegistryPackageHash,
  attestationRegistry: casperTest.attestationRegistryPackageHash,
}

const KEY = 'wattfeed.trust'

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text)

/** What this device remembers; null before the reader has named a block. */
export const rememberedTrust = signal(readStored(), {
  watched: () => addEventListener('storage', followOtherTabs),
  unwatched: () => removeEventListener('storage', followOtherTabs),
})

/** Otherwise the next check in this tab would restore what another tab has forgotten. */
function followOtherTabs({ key }: StorageEvent): void {
  // Null where everything was cleared.
  if (key === KEY || key === null) rememberedTrust.value = readStored()
}

/** Remembers what the reader trusts, on this device alone; null forgets it. */
export function setTrust(trust: Trust | null): void {
  rememberedTrust.value = trust
  try {
    if (trust === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(trust))
  } catch {
    // Storage may be full or forbidden: then it lasts as long as the page.
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

/** Returns by field what is wrong with what was typed. */
export function faultsOf(fields: TrustFields): ReadonlyMap<keyof TrustFields, string> {
  const faults = new Map<keyof TrustFields, string>()
  for (const name of ['blockHash', 'feedRegistry', 'attestationRegistry'] as const)
    if (!isHash(fields[name])) faults.set(name, 'It has 64 hex digits.')
  if (fields.chainName === '') faults.set('chainName', 'It cannot be empty.')
  return faults
}

/** Takes away what people copy along: blanks, and the prefixes of formatted hashes. */
export const cleanHash = (text: string): string =>
  text.trim().replace(/^(block-|hash-|package-|contract-package-)+/i, '')

const flags: Readonly<Record<string, keyof TrustFields>> = {
  '--trust': 'blockHash',
  '--chain-name': 'chainName',
  '--feed-registry': 'feedRegistry',
  '--attestation-registry': 'attestationRegistry',
}

/**
 * Finds what an address names in its fragment, which browsers do not send. Returns only the fields that it names.
 *
 * @example
 * ```ts
 * parseFragment('#proof&trust=1a1c…&chain-name=casper-devnet&feed-registry=…&attestation-registry=…')
 * ```
 */
export function parseFragment(fragment: string): Partial<TrustFields> {
  const parts = new URLSearchParams(fragment.slice(1))
  const named = Object.entries(flags).map(([flag, name]) => [name, parts.get(flag.slice('--'.length))])
  return Object.fromEntries(named.filter(([, value]) => value !== null))
}

/**
 * Finds what a `wattfeed verify` command trusts, as the demo prints one. Returns only the fields that it names.
 *
 * @example
 * ```ts
 * parseCommand('bun run verify … --trust 1a1c… --chain-name casper-devnet')
 * ```
 */
export function parseCommand(text: string): Partial<TrustFields> {
  const words = text.split(/[\s=\\]+/)
  const found: Partial<Record<keyof TrustFields, string>> = {}
  for (const [index, word] of words.entries()) {
    const name = flags[word]
    const value = words[index + 1]
    if (name !== undefined && value !== undefined) found[name] = value
  }
  return found
}
