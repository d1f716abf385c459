/** Odra's field numbers, in the order of declaration. */
export const feedRegistryFields = {
  owner: 1,
  feeds: 2,
  ids: 3,
  count: 4,
  feed_attester: 5,
  eligibility_gate: 6,
} as const

/** Odra's field numbers, in the order of declaration. */
export const attestationRegistryFields = {
  attester: 1,
  latest: 2,
  history: 3,
  count: 4,
  total: 5,
  feed_registry: 6,
  feed_registry_seed: 7,
} as const

/** Odra's field numbers, in the order of declaration. */
export const eligibilityGateFields = { owner: 1, roots: 2, nullifiers: 3, eligible: 4, granted: 5 } as const

/** Odra's field numbers: the only field of the module `registries`, which is the first, and the second field. */
export const boardFields = { location: 0x11, values: 2 } as const

/** An entry point that only this contract has. It is checked to detect swapped package hashes. */
export const ownEntryPoints = {
  FeedRegistry: 'register_feed',
  AttestationRegistry: 'attest',
  EligibilityGate: 'claim',
  Board: 'put_latest',
} as const

/** The two contracts that wattfeed reads, by name. */
export type RegistryName = 'FeedRegistry' | 'AttestationRegistry'
