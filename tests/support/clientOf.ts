import type { ClientOptions } from '../../src/client/clientOptions.ts'
import { type Client, createClient } from '../../src/client/createClient.ts'
import { patience } from './patience.ts'
import type { RegistryChain } from './registryChain.ts'

/** Creates a client with these nodes and generous deadlines. */
export function clientOf(
  chain: Pick<RegistryChain, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>,
  rpcUrls: readonly string[],
  options: ClientOptions = {},
): Client {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
  return createClient({
    rpcUrls,
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    ...patience,
    ...options,
  })
}
