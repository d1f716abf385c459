/** The names of Casper's public networks. Every other name is that of a development chain, whose figures are invented. */
const PUBLIC_CHAINS: readonly string[] = ['casper', 'casper-test']

export const isPublicChain = (chainName: string): boolean => PUBLIC_CHAINS.includes(chainName)
