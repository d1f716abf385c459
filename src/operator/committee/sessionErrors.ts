/** The errors with which the session code of `contracts/committee` reverts, by the number of the `User error`. */
export const sessionErrors: ReadonlyMap<number, string> = new Map([
  [1, 'AccountDiffers'],
  [2, 'SignersTooLight'],
  [3, 'UnsortedKeys'],
  [4, 'ZeroWeight'],
  [5, 'TooHeavy'],
  [6, 'TooManyKeys'],
  [7, 'ThresholdsReversed'],
  [8, 'UnreachableThreshold'],
  [9, 'UnknownRecoveryKey'],
  [10, 'WeakRecoveryKey'],
  [11, 'DisjointQuorums'],
])
