import { backOff, patience } from '@wattfeed/testing/patience'
import type { ClientOptions } from '../../src/client/clientOptions.ts'
import { type Client, connect } from '../../src/client/createClient.ts'

/** Creates a client of a chain with these nodes, patient deadlines and no pauses between retries. */
export function clientOf(
  chain: Required<
    Pick<ClientOptions, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>
  >,
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
