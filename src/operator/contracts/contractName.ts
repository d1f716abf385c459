/** The contracts, in the order in which they are installed and upgraded. */
export const contractNames = ['FeedRegistry', 'AttestationRegistry', 'EligibilityGate'] as const

export type ContractName = (typeof contractNames)[number]

/** The named key of the installing account that holds a contract's package hash. */
export const packageKeyName = (name: ContractName): string => `${name}_package_hash`

/** The named key of the installing account that holds the right to upgrade a contract. */
export const accessKeyName = (name: ContractName): string => `${packageKeyName(name)}_access_token`

/** An entry point that only this contract has: package hashes are easily swapped. */
export const ownEntryPoint: Readonly<Record<ContractName, string>> = {
  FeedRegistry: 'register_feed',
  AttestationRegistry: 'attest',
  EligibilityGate: 'claim',
}
