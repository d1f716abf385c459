/** Block explorers by chain name. */
const explorers: ReadonlyMap<string | undefined, string> = new Map([
  ['casper', 'https://cspr.live'],
  ['casper-test', 'https://testnet.cspr.live'],
])

/** Returns the address of an account or contract package in the network's block explorer; null if none is known. */
export function blockExplorerHref(chainName: string | undefined, key: string): string | null {
  const origin = explorers.get(chainName)
  const [, kind] = /^(account-hash|hash)-[0-9a-f]{64}$/.exec(key) ?? []
  if (origin === undefined || kind === undefined) return null
  return `${origin}/${kind === 'hash' ? 'contract-package' : 'account'}/${key}`
}
