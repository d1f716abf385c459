import {
  type Account,
  alwaysIntersect,
  formatAccountHash,
  type Quorums,
  totalWeight,
} from '@wattfeed/casper/types'

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
  { associatedKeys, actionThresholds }: Pick<Account, 'associatedKeys' | 'actionThresholds'>,
  recovery: Iterable<string> = [],
): Committee => {
  const weights = new Map(
    associatedKeys.map(({ accountHash, weight }) => [formatAccountHash(accountHash), weight]),
  )
  return { weights, recovery: new Set([...recovery].filter((key) => weights.has(key))), ...actionThresholds }
}

/** Returns whether a key reaches the deployment threshold without any other. */
export const signsAlone = (
  { weights, deployment }: Pick<Committee, 'weights' | 'deployment'>,
  key: string,
): boolean => (weights.get(key) ?? 0) >= Math.max(1, deployment)

/**
 * Returns who can send transactions. A recovery key that signs alone is left out; one that does not is like any other key.
 */
export function quorumsOf(committee: Pick<Committee, 'weights' | 'recovery' | 'deployment'>): Quorums {
  const { weights, recovery, deployment } = committee
  return {
    weights: new Map([...weights].filter(([key]) => !recovery.has(key) || !signsAlone(committee, key))),
    threshold: Math.max(1, deployment),
  }
}

/**
 * Returns what is wrong if two groups of keys can sign without a common key, and what to change; null if they cannot. Then
 * they could attest different transactions for one value.
 */
export function findDisjointQuorums(
  committee: Pick<Committee, 'weights' | 'recovery' | 'deployment'>,
): string | null {
  const quorums = quorumsOf(committee)
  if (alwaysIntersect(quorums)) return null
  const total = totalWeight(quorums)
  return `two groups of keys can sign without a common key, because ${quorums.threshold} of a total weight of ${total} sign; raise the deployment threshold to at least ${Math.floor(total / 2) + 1} with "committee apply", or list a key that may sign alone with "recovery": true`
}

export const isSameCommittee = (one: Committee, other: Committee): boolean =>
  one.deployment === other.deployment &&
  one.keyManagement === other.keyManagement &&
  one.weights.size === other.weights.size &&
  [...one.weights].every(([key, weight]) => other.weights.get(key) === weight)

/** The most that all keys may weigh: the session's check of the sum needs a threshold above it. */
export const MAX_TOTAL_WEIGHT = 254

/** Returns what all keys weigh together, recovery keys included. */
export const weightOfAll = ({ weights }: Committee): number => totalWeight({ weights })
