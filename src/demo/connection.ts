import type { ClientOptions } from 'wattfeed'
import type { DemoChain } from './demoChain.ts'

export type Connection = Required<
  Pick<ClientOptions, 'rpcUrls' | 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>
>

export const connectionOf = ({ endpoint, devnet, packageHashes }: DemoChain): Connection => ({
  rpcUrls: [endpoint.url],
  chainName: devnet.chainName,
  feedRegistryPackageHash: packageHashes.FeedRegistry,
  attestationRegistryPackageHash: packageHashes.AttestationRegistry,
})

export const connectionSettings = (connection: Connection): Record<string, string> => ({
  CASPER_RPC_URL: connection.rpcUrls.join(','),
  CASPER_CHAIN_NAME: connection.chainName,
  FEED_REGISTRY_PACKAGE_HASH: connection.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: connection.attestationRegistryPackageHash,
})

/** Formats settings for a shell. */
export const formatExports = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `export ${name}=${/^[\w./:,-]+$/.test(value) ? value : quoted(value)}\n`)
    .join('')

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
