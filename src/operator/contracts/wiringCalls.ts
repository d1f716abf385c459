/** A contract that is told another one's address. */
export type WiredContract = keyof typeof wiringCalls

/** How each is told. */
export const wiringCalls = {
  FeedRegistry: { entryPoint: 'set_eligibility_gate', argument: 'gate', of: 'EligibilityGate' },
  AttestationRegistry: { entryPoint: 'set_feed_registry', argument: 'feed_registry', of: 'FeedRegistry' },
} as const

/** In the order in which they are sent. */
export const wiredContracts = ['FeedRegistry', 'AttestationRegistry'] as const
