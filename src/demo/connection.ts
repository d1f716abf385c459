import type { ClientOptions } from '../client/index.ts'

/** The chain that a demo runs and the registries on it. */
export type Connection = Required<
  Pick<ClientOptions, 'rpcUrls' | 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>
>

/** The settings by which a program reads the demo's chain. */
export const connectionSettings = (connection: Connection): Record<string, string> => ({
  CASPER_RPC_URL: connection.rpcUrls.join(','),
  CASPER_CHAIN_NAME: connection.chainName,
  FEED_REGISTRY_PACKAGE_HASH: connection.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: connection.attestationRegistryPackageHash,
})

/** Formats how the other commands and the library read the demo's chain, to be pasted into a shell and a program. */
export function formatConnection(connection: Connection): string {
  const exports = Object.entries(connectionSettings(connection)).map(
    ([name, value]) => `  export ${name}=${value}`,
  )
  const { rpcUrls, chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = connection
  return `The other commands, such as "npx -y bun@1.4.4 run feeds list", read this chain in a shell with

${exports.join('\n')}

and the library with

  createClient({
    rpcUrls: ['${rpcUrls.join("', '")}'],
    chainName: '${chainName}',
    feedRegistryPackageHash: '${feedRegistryPackageHash}',
    attestationRegistryPackageHash: '${attestationRegistryPackageHash}',
  })`
}
