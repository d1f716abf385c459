const publicNetworks: ReadonlySet<string> = new Set(['casper', 'casper-test'])

/** Whether others read this chain: Casper's main network and its test network, by their chain names. */
export const isPublicNetwork = (chainName: string): boolean => publicNetworks.has(chainName)
