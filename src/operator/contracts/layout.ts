import { attestationRegistryFields, feedRegistryFields } from '../../registry/layout.ts'

/** Odra's numbers of the plain fields that wire and count, in the contracts' order. */
export const fieldsOf = {
  FeedRegistry: {
    owner: feedRegistryFields.owner,
    count: feedRegistryFields.count,
    eligibilityGate: feedRegistryFields.eligibility_gate,
  },
  AttestationRegistry: {
    attester: attestationRegistryFields.attester,
    total: attestationRegistryFields.total,
    feedRegistry: attestationRegistryFields.feed_registry,
    feedRegistrySeed: 7,
  },
  EligibilityGate: { owner: 1, roots: 2, granted: 5 },
} as const
