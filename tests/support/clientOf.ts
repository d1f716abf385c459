import type { ClientOptions } from '../../src/client/clientOptions.ts'
import { type Client, createClient } from '../../src/client/createClient.ts'
import type { SyntheticChain } from './syntheticChain.ts'

/** A client of a synthetic chain that asks these nodes. */
export function clientOf(
  chain: SyntheticChain,
  rpcUrls: readonly string[],
  options: ClientOptions = {},
): Client {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
  return createClient({
    rpcUrls,
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    ...options,
  })
}
