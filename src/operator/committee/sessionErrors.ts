interface SessionError {
  readonly name: string
  readonly cure: string
}

/**
 * The errors of the committee's session code, by the number of the node's `User error`: what each means, and what to do. The names are
 * those in `contracts/committee/src/lib.rs`, which a test compares.
 */
export const sessionErrors: Readonly<Record<string, SessionError>> = {
  1: {
    name: 'AccountDiffers',
    cure: "the account's keys are not those that the change was planned for; plan it again",
  },
  2: {
    name: 'SignersTooLight',
    cure: 'the signatures weigh less than the threshold for key management; collect more of them',
  },
  3: {
    name: 'UnsortedKeys',
    cure: 'a list of keys is not in ascending order, or contains a key twice',
  },
  4: { name: 'ZeroWeight', cure: 'a new key has no weight; give it at least 1' },
  5: { name: 'TooHeavy', cure: 'the keys weigh more than 254 together; give them less weight' },
  6: { name: 'TooManyKeys', cure: 'the old and new keys are more than 100; make the change in two steps' },
  7: {
    name: 'ThresholdsReversed',
    cure: 'the deployment threshold exceeds the threshold for key management',
  },
  8: {
    name: 'UnreachableThreshold',
    cure: 'all new keys together do not reach the thresholds; lower these, or add weight',
  },
  9: { name: 'UnknownRecoveryKey', cure: 'a recovery key is not one of the new keys' },
  10: {
    name: 'DisjointQuorums',
    cure: 'two groups of keys without a common key could both sign; raise the deployment threshold',
  },
  11: { name: 'Refused', cure: 'the chain refused the change' },
}

/** Returns the meaning of the node's error for a failed session; null if the session did not revert. */
export function describeSessionError(errorMessage: string): string | null {
  const number = /^User error: (\d+)$/.exec(errorMessage)?.[1]
  return number === undefined ? null : (sessionErrors[number]?.cure ?? null)
}
