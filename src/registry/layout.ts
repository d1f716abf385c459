/** Odra's number of each field, in the order in which the contracts declare them. */
export const feedRegistryFields = {
  owner: 1,
  feeds: 2,
  ids: 3,
  count: 4,
  feed_attester: 5,
  eligibility_gate: 6,
} as const

/** Odra's number of each field, in the order in which the contracts declare them. */
export const attestationRegistryFields = {
  attester: 1,
  latest: 2,
  history: 3,
  count: 4,
  total: 5,
  feed_registry: 6,
  feed_registry_seed: 7,
} as const

/** Odra's number of each field, in the order in which the contracts declare them. */
export const eligibilityGateFields = { owner: 1, roots: 2, nullifiers: 3, eligible: 4, granted: 5 } as const

/** An entry point that only this contract has, to detect swapped package hashes. */
export const ownEntryPoints = {
  FeedRegistry: 'register_feed',
  AttestationRegistry: 'attest',
  EligibilityGate: 'claim',
} as const

/** The two contracts that wattfeed reads, by their names on chain. */
export type RegistryName = 'FeedRegistry' | 'AttestationRegistry'
