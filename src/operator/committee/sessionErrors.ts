/** The errors of the session code of `contracts/committee` and what to do about them, from `User error: 1` on. */
export const sessionErrors = [
  ['AccountDiffers', "the account's keys are not those that the change was planned for; plan it again"],
  [
    'SignersTooLight',
    'the signatures weigh less than the threshold for key management; collect more of them',
  ],
  ['UnsortedKeys', 'a list of keys is not in ascending order, or contains a key twice'],
  ['ZeroWeight', 'a new key has no weight; give it at least 1'],
  ['TooHeavy', 'the keys weigh more than 254 together; give them less weight'],
  ['TooManyKeys', 'the old and new keys are more than 100; make the change in two steps'],
  ['ThresholdsReversed', 'the deployment threshold exceeds the threshold for key management'],
  ['UnreachableThreshold', 'all new keys together do not reach the thresholds; lower these, or add weight'],
  ['UnknownRecoveryKey', 'a recovery key is not one of the new keys'],
  [
    'DisjointQuorums',
    'two groups of keys without a common key could both sign; raise the deployment threshold',
  ],
  ['Refused', 'the chain refused the change'],
] as const

/** Returns the meaning of the node's error for a failed session; null if the session did not revert. */
export function describeSessionError(errorMessage: string): string | null {
  const number = /^User error: (\d+)$/.exec(errorMessage)?.[1]
  return sessionErrors[Number(number) - 1]?.[1] ?? null
}
