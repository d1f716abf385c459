/** A network and its registries. */
export interface Network {
  rpcUrls: readonly string[]
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** 64 hex digits. */
  attestationRegistryPackageHash: string
}

/** The public test network and its registries, which clients read by default. */
export const casperTest: Network = {
  rpcUrls: ['https://node.testnet.casper.network/rpc'],
  chainName: 'casper-test',
  feedRegistryPackageHash: '741cc223c14c2c00c9f06d7bb5c4be2f824fbf0c8b09a147bf1835570bddf5b6',
  attestationRegistryPackageHash: '236b510436c60b6a797d175c72c6014de367d43f1de1ca45f580d112f98116cc',
}
