import type { ClientOptions } from '../../packages/wattfeed/src/client/clientOptions.ts'
import { type Client, connect } from '../../packages/wattfeed/src/client/createClient.ts'
import { backOff, patience } from './patience.ts'
import type { RegistryChain } from './registryChain.ts'

/** Creates a client of a chain with these nodes, patient deadlines and no pauses between retries. */
export function clientOf(
  chain: Pick<RegistryChain, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>,
  rpcUrls: readonly string[],
  options: ClientOptions = {},
): Client {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
  return connect(
    {
      rpcUrls,
      chainName,
      feedRegistryPackageHash,
      attestationRegistryPackageHash,
      ...patience,
      ...options,
    },
    { backOff },
  ).client
}
