/**
 * Keys with weights, and the least weight that signs together. Any keys that reach the threshold are a quorum. Sums are exact: a
 * node's sums stop at 255, which is never below a threshold.
 */
export interface Quorums {
  /** By account hash or any other name. */
  readonly weights: ReadonlyMap<string, number>
  /** 1 to 255. */
  readonly threshold: number
}

/** Number of keys that may fail in each way, in the worst case: with unequal weights, the worst choice of keys counts. */
export interface Tolerance {
  /** Keys that may be missing: the others are still a quorum. n − m for equal weights. */
  readonly down: number
  /** Keys that may sign anything: together they are no quorum. m − 1 for equal weights. */
  readonly liars: number
  /**
   * Keys that may sign two conflicting transactions: two quorums share one more key at least. 2m − n − 1 for equal weights. Null
   * if two quorums need not share any key, so that both transactions execute without a double signer.
   */
  readonly doubleSigners: number | null
}

/** Returns the weight of all keys together. */
export const totalWeight = ({ weights }: Pick<Quorums, 'weights'>): number => sum([...weights.values()])

/** Returns the least number of keys that can sign; null if all together cannot. */
export function countSigners(quorums: Quorums): number | null {
  const heaviest = heaviestFirst(quorums)
  const count = heaviest.findIndex((_, last) => sum(heaviest.slice(0, last + 1)) >= quorums.threshold)
  return count === -1 ? null : count + 1
}

/** Returns how many keys may fail; null if all together cannot sign. */
export function toleranceOf(quorums: Quorums): Tolerance | null {
  const signers = countSigners(quorums)
  if (signers === null) return null
  return { down: countDown(quorums), liars: signers - 1, doubleSigners: countDoubleSigners(quorums) }
}

/** The heaviest keys are the worst to lose. */
function countDown(quorums: Quorums): number {
  const heaviest = heaviestFirst(quorums)
  const lost = heaviest.findIndex((_, last) => sum(heaviest.slice(last + 1)) < quorums.threshold)
  return lost === -1 ? heaviest.length : lost
}

/**
 * The heaviest keys are the worst double signers, too: exchanging one for a lighter key of a quorum never makes a quorum
 * heavier. They count for both quorums, and the other keys must be divided between the two.
 */
function countDoubleSigners(quorums: Quorums): number | null {
  const heaviest = heaviestFirst(quorums)
  const harmful = heaviest.findIndex((_, count) => canSignTwice(quorums, heaviest, count))
  if (harmful === 0) return null
  return harmful === -1 ? heaviest.length - 1 : harmful - 1
}

/** Returns whether there are two quorums that share at most the first `count` keys. */
function canSignTwice({ threshold }: Quorums, heaviest: readonly number[], count: number): boolean {
  const shared = sum(heaviest.slice(0, count))
  const others = heaviest.slice(count)
  const least = Math.max(0, threshold - shared)
  const most = shared + sum(others) - threshold
  if (most < least) return false
  // Bit n: some of the other keys weigh n together.
  const sums = others.reduce((bits, weight) => bits | (bits << BigInt(weight)), 1n)
  return BigInt.asUintN(most - least + 1, sums >> BigInt(least)) !== 0n
}

/** Returns whether two quorums always share a key, by the rule that twice the threshold exceeds the total weight. */
export const alwaysIntersect = (quorums: Quorums): boolean => 2 * quorums.threshold > totalWeight(quorums)

/** Two quorums without a common key: one of the keys before a change, one of those after it. */
export interface DisjointQuorums {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** A key with its weights on both sides of a change; 0 if it is not there. */
interface ChangedKey {
  readonly name: string
  readonly before: number
  readonly after: number
}

/**
 * Finds a quorum before and one after a change of keys that share no key; null if every two share one.
 *
 * Each key belongs to one of the two. `most[n]` is about the first n keys. For each weight before the change that some of them have,
 * it has the most that the others weigh after the change; −1 if none have that weight. All weights that reach the threshold
 * before the change count as one.
 */
export function findDisjoint(before: Quorums, after: Quorums): DisjointQuorums | null {
  const keys = [...new Set([...before.weights.keys(), ...after.weights.keys()])].map((name) => ({
    name,
    before: before.weights.get(name) ?? 0,
    after: after.weights.get(name) ?? 0,
  }))
  const most = [new Int32Array(before.threshold + 1).fill(-1).fill(0, 0, 1)]
  for (const [index, key] of keys.entries()) most.push(addKey(most[index] ?? new Int32Array(), key))
  if ((most[keys.length]?.[before.threshold] ?? -1) < after.threshold) return null
  return divideKeys(keys, most)
}

function addKey(most: Int32Array<ArrayBuffer>, { before, after }: ChangedKey): Int32Array<ArrayBuffer> {
  const threshold = most.length - 1
  const next = most.map((weight) => (weight < 0 ? weight : weight + after))
  for (const [weight, others] of most.entries()) {
    const reached = Math.min(threshold, weight + before)
    if (others > (next[reached] ?? -1)) next[reached] = others
  }
  return next
}

/** Follows the most that was found back to the first key. */
function divideKeys(keys: readonly ChangedKey[], most: readonly Int32Array[]): DisjointQuorums {
  const found = { before: [] as string[], after: [] as string[] }
  let weight = (most[0]?.length ?? 1) - 1
  for (const [index, key] of [...keys.entries()].reverse()) {
    const others = most[index + 1]?.[weight] ?? -1
    const fewer = most[index] ?? new Int32Array()
    const threshold = fewer.length - 1
    const isBefore = (from: number): boolean =>
      fewer[from] === others && Math.min(threshold, from + key.before) === weight
    const from = [...fewer.keys()].find(isBefore)
    if (from === undefined) found.after.unshift(key.name)
    else {
      found.before.unshift(key.name)
      weight = from
    }
  }
  return found
}

const heaviestFirst = ({ weights }: Quorums): number[] => [...weights.values()].sort((a, b) => b - a)

const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0)
