import { encodeHex } from '../../bytes/hex.ts'
import type { Account } from '../../casper/types/account.ts'
import { type Quorums, totalWeight } from '../../casper/types/quorum.ts'

/** The keys of an account and its thresholds. */
export interface Committee {
  /** Weights by the keys' account hashes, `account-hash-…`. */
  readonly weights: ReadonlyMap<string, number>
  /** Keys that can sign alone and are kept offline. They are in `weights`, too. */
  readonly recovery: ReadonlySet<string>
  /** The least weight that sends transactions. */
  readonly deployment: number
  /** The least weight that changes keys and thresholds. */
  readonly keyManagement: number
}

/** Returns the keys and thresholds of an account. @param recovery the keys that are kept offline, if it has them */
export const committeeOfAccount = (
  { associatedKeys, actionThresholds }: Account,
  recovery: Iterable<string> = [],
): Committee => {
  const weights = new Map(
    associatedKeys.map(({ accountHash, weight }) => [`account-hash-${encodeHex(accountHash)}`, weight]),
  )
  return { weights, recovery: new Set([...recovery].filter((key) => weights.has(key))), ...actionThresholds }
}

/** Returns who can send transactions, recovery keys left out. */
export const quorumsOf = ({
  weights,
  recovery,
  deployment,
}: Pick<Committee, 'weights' | 'recovery' | 'deployment'>): Quorums => ({
  weights: new Map([...weights].filter(([key]) => !recovery.has(key))),
  threshold: Math.max(1, deployment),
})

/** Whether two committees have the same keys, weights and thresholds. */
export const isSameCommittee = (one: Committee, other: Committee): boolean =>
  one.deployment === other.deployment &&
  one.keyManagement === other.keyManagement &&
  one.weights.size === other.weights.size &&
  [...one.weights].every(([key, weight]) => other.weights.get(key) === weight)

/** The most that all keys may weigh: the session's check of the sum needs a threshold above it. */
export const MAX_TOTAL_WEIGHT = 254

/** Returns what all keys weigh together, recovery keys included. */
export const weightOfAll = ({ weights }: Committee): number => totalWeight({ weights })
