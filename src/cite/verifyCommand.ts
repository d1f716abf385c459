import { casperTest, type Network } from '../client/networks.ts'

/** The chain and registries that a command or an address names. */
export type CitedNetwork = Omit<Network, 'rpcUrls'>

/** @param trust the trusted block hash; null leaves its place open */
export function verifyCommand(url: string, network: CitedNetwork, trust: string | null = null): string {
  const { chainName, feedRegistryPackageHash: feeds, attestationRegistryPackageHash: values } = network
  const flags = isPublicNetwork(network)
    ? ''
    : ` --chain-name ${chainName} --feed-registry ${feeds} --attestation-registry ${values}`
  return `wattfeed verify ${url} --trust ${trust ?? '<block hash>'}${flags}`
}

/** Returns the parameters of an address that name a trust: the flags of `wattfeed verify` without their dashes. */
export const trustParams = (trust: string, network: CitedNetwork): URLSearchParams =>
  new URLSearchParams({
    trust,
    'chain-name': network.chainName,
    'feed-registry': network.feedRegistryPackageHash,
    'attestation-registry': network.attestationRegistryPackageHash,
  })

/** Whether these are the default chain and registries, which commands and addresses need not name. */
export const isPublicNetwork = (network: CitedNetwork): boolean =>
  network.chainName === casperTest.chainName &&
  network.feedRegistryPackageHash === casperTest.feedRegistryPackageHash &&
  network.attestationRegistryPackageHash === casperTest.attestationRegistryPackageHash
