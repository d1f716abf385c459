import type { ClientOptions } from '../library/client/index.ts'
import { typedProgram } from '../runtime/isFromSource.ts'
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

/** @param others settings to export, too */
export function formatConnection(
  connection: Connection,
  others: Readonly<Record<string, string>> = {},
): string {
  const settings = { ...connectionSettings(connection), ...others }
  const exports = Object.entries(settings).map(([name, value]) => `  export ${name}=${value}`)
  const { rpcUrls, chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = connection
  return `To use this chain with the other commands, such as "${typedProgram} feeds list", run in your shell:

${exports.join('\n')}

To read it with the library:

  createClient({
    rpcUrls: ['${rpcUrls.join("', '")}'],
    chainName: '${chainName}',
    feedRegistryPackageHash: '${feedRegistryPackageHash}',
    attestationRegistryPackageHash: '${attestationRegistryPackageHash}',
  })`
}
