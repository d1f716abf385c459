import { casperTest, type Network } from 'wattfeed'
import { shellQuoted } from './shell.ts'

/** The chain and registries that a command or an address names. */
export type CitedNetwork = Omit<Network, 'rpcUrls'>

/** What a reader trusts. */
export interface TrustFields {
  /** The hash of a switch block: 64 hex digits, as of both registries. */
  readonly blockHash: string
  readonly chainName: string
  readonly feedRegistry: string
  readonly attestationRegistry: string
}

/** Returns the network of a trust. */
export const citedNetwork = ({
  chainName,
  feedRegistry,
  attestationRegistry,
}: TrustFields): CitedNetwork => ({
  chainName,
  feedRegistryPackageHash: feedRegistry,
  attestationRegistryPackageHash: attestationRegistry,
})

/** The flags of `wattfeed verify` that name a trust, without their dashes. They are parameters of addresses, too. */
export type TrustParam = 'trust' | 'chain-name' | 'feed-registry' | 'attestation-registry'

/**
 * Writes the command as short as possible, in one line of a citation.
 *
 * @param trust the trusted block hash; null leaves its place open
 */
export function verifyCommand(url: string, network: CitedNetwork, trust: string | null = null): string {
  const named = shortTrustParams(trust ?? '<block hash>', network)
  return [`wattfeed verify ${url}`, ...[...named].map(([name, value]) => `--${name} ${value}`)].join(' ')
}

/**
 * Writes the command to be pasted into a shell. It always names the network, and its words are quoted, because the chain's name comes
 * from a server that may be hostile.
 */
export function quotedVerifyCommand(url: string, network: CitedNetwork, trust: string): string {
  const flags = [...trustParams(trust, network)].map(([name, value]) => `--${name} ${shellQuoted(value)}`)
  return [`wattfeed verify ${shellQuoted(url)}`, ...flags].join(' \\\n  ')
}

/** Returns the parameters that name a trust. */
export const trustParams = (trust: string, network: CitedNetwork): URLSearchParams =>
  new URLSearchParams({
    trust,
    'chain-name': network.chainName,
    'feed-registry': network.feedRegistryPackageHash,
    'attestation-registry': network.attestationRegistryPackageHash,
  } satisfies Record<TrustParam, string>)

/** Returns the same without the default chain and registries, which commands and addresses need not name. */
export const shortTrustParams = (trust: string, network: CitedNetwork): URLSearchParams =>
  isDefault(network) ? new URLSearchParams({ trust }) : trustParams(trust, network)

const isDefault = (network: CitedNetwork): boolean =>
  network.chainName === casperTest.chainName &&
  network.feedRegistryPackageHash === casperTest.feedRegistryPackageHash &&
  network.attestationRegistryPackageHash === casperTest.attestationRegistryPackageHash
