/** A Casper network and the registries on it. */
export interface Network {
  /** JSON-RPC URLs of nodes. */
  rpcUrls: readonly string[]
  /** Name of the chain, as nodes report it. */
  chainName: string
  /** Package hash of the FeedRegistry: 64 hex digits. */
  feedRegistryPackageHash: string
  /** Package hash of the AttestationRegistry: 64 hex digits. */
  attestationRegistryPackageHash: string
}

/**
 * The public test network and its registries: the defaults of {@link createClient}.
 *
 * @example
 * ```ts
 * import { casperTest, createClient } from 'wattfeed'
 *
 * const client = createClient({ ...casperTest, timeoutMs: 2_000 })
 * ```
 */
export const casperTest: Network = {
  rpcUrls: ['https://node.testnet.casper.network/rpc'],
  chainName: 'casper-test',
  feedRegistryPackageHash: '741cc223c14c2c00c9f06d7bb5c4be2f824fbf0c8b09a147bf1835570bddf5b6',
  attestationRegistryPackageHash: '236b510436c60b6a797d175c72c6014de367d43f1de1ca45f580d112f98116cc',
}
