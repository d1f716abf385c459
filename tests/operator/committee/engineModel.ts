import type { Committee } from '../../../src/committee/committee.ts'

/** An account's keys and thresholds in the engine. */
export interface EngineAccount {
  weights: Map<string, number>
  deployment: number
  keyManagement: number
}

/** A transaction that changes keys: the arguments of the session, and who signed. */
export interface KeyTransaction {
  current: ReadonlyMap<string, number>
  next: Committee
  signers: readonly string[]
}

/** The engine's sums of weights stop at 255. */
const sum = (weights: Iterable<number>): number =>
  Math.min(
    255,
    [...weights].reduce((a, b) => a + b, 0),
  )

class Refused extends Error {}

function assert(condition: boolean): void {
  if (!condition) throw new Refused()
}

/**
 * Executes a transaction as casper-execution-engine 8.1.1 does with the session of `contracts/committee`. Returns the account
 * afterwards; the same one if the transaction is rejected or fails.
 */
export function execute(account: EngineAccount, transaction: KeyTransaction): EngineAccount {
  const { signers } = transaction
  const signed = sum(signers.map((key) => account.weights.get(key) ?? 0))
  if (signers.some((key) => !account.weights.has(key)) || signed < account.deployment) return account
  const changed = { ...account, weights: new Map(account.weights) }
  try {
    assert(signed >= account.keyManagement)
    changeKeys(changed, transaction)
    return changed
  } catch (error) {
    if (error instanceof Refused) return account
    throw error
  }
}

function changeKeys(account: EngineAccount, { current, next }: KeyTransaction): void {
  assertDescribed(account, current)
  for (const [key, weight] of next.weights)
    if ((current.get(key) ?? -1) < weight) setWeight(account, key, weight)
  for (const threshold of ['keyManagement', 'deployment'] as const)
    if (next[threshold] > account[threshold]) setThreshold(account, threshold, next[threshold])
  for (const threshold of ['deployment', 'keyManagement'] as const)
    setThreshold(account, threshold, next[threshold])
  for (const [key, weight] of current) {
    const after = next.weights.get(key)
    if (after === undefined) removeKey(account, key)
    else if (after < weight) setWeight(account, key, after)
  }
}

/** The session cannot list keys: it compares the sum and each weight. */
function assertDescribed(account: EngineAccount, current: ReadonlyMap<string, number>): void {
  assert(sum(account.weights.values()) === sum(current.values()))
  for (const [key, weight] of current) assert(account.weights.get(key) === weight)
}

function setWeight(account: EngineAccount, key: string, weight: number): void {
  const weights = new Map(account.weights).set(key, weight)
  assert(weights.size <= 100 && sum(weights.values()) >= account.keyManagement)
  account.weights = weights
}

function removeKey(account: EngineAccount, key: string): void {
  const weights = new Map(account.weights)
  assert(weights.delete(key) && sum(weights.values()) >= account.keyManagement)
  account.weights = weights
}

function setThreshold(
  account: EngineAccount,
  which: 'deployment' | 'keyManagement',
  threshold: number,
): void {
  assert(sum(account.weights.values()) >= threshold)
  account[which] = threshold
  assert(account.deployment <= account.keyManagement)
}
