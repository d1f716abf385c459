import { alwaysIntersect, findDisjoint, toleranceOf, totalWeight } from '@wattfeed/casper/types'
import {
  type Committee,
  isSameCommittee,
  MAX_TOTAL_WEIGHT,
  quorumsOf,
  weightOfAll,
} from '../../committee/committee.ts'

/** A key whose weight changes; 0 if it is not there. */
interface WeightChange {
  readonly key: string
  readonly before: number
  readonly after: number
}

/**
 * Plans the changes from one committee to another such that each quorum after a change shares a key with each quorum before it.
 * Returns the committees after each change, the last of them being the target; null if there is no way.
 *
 * It prefers steps that keys which stay can sign.
 */
export function planRotation(before: Committee, target: Committee): Committee[] | null {
  if (isSameCommittee(before, target)) return []
  if (canFollow(before, target)) return [target]
  return findSteps(before, target)
}

/** Returns whether each quorum after a change shares a key with each quorum before it, and the change fits in a transaction. */
const canFollow = (before: Committee, after: Committee): boolean =>
  isSmallEnough(before, after) && findDisjoint(quorumsOf(before), quorumsOf(after)) === null

/** The most bytes of arguments that every network takes: 2.2 has a lane for 2,048, but 2.0.3 has none. A plan is made without a node. */
const MAX_ARGUMENT_BYTES = 1_024

/**
 * Whether the session's arguments fit in a transaction: 126 bytes without any key, 33 for each key before and after, 32 more for
 * a recovery key. A test compares this with the encoded arguments.
 */
export const isSmallEnough = (before: Committee, after: Committee): boolean =>
  126 + 33 * (before.weights.size + after.weights.size) + 32 * after.recovery.size <= MAX_ARGUMENT_BYTES

/**
 * Finds the fewest steps, with the highest possible thresholds. Then it lowers the thresholds. Each round makes all paths one
 * step longer, and drops what an earlier round has reached.
 */
function findSteps(before: Committee, target: Committee): Committee[] | null {
  let paths: Committee[][] = [[]]
  let untried = listBetween(before, target).flatMap(withThreshold)
  while (paths.length > 0) {
    const complete = paths.filter((path) => canFollow(path.at(-1) ?? before, target))
    if (complete.length > 0)
      return pickBest(
        complete.map((path) => lowerThresholds(before, path, target)),
        target,
      )
    const longer = untried.flatMap((next) => {
      const path = paths.find((each) => canFollow(each.at(-1) ?? before, next))
      return path === undefined ? [] : [[...path, next]]
    })
    untried = untried.filter((each) => !longer.some((path) => path.at(-1) === each))
    paths = longer
  }
  return null
}

type CommitteeKeys = Pick<Committee, 'weights' | 'recovery'>

/** Lists the keys between two committees: the first changes are made, one more each time. */
function listBetween(before: Committee, target: Committee): CommitteeKeys[] {
  const removedRecovery = [...before.recovery].filter((key) => !target.weights.has(key))
  const recovery = [...target.recovery, ...removedRecovery]
  return listOrders(before, target).flatMap((changes) =>
    [...changes.keys(), changes.length].map((count) => {
      const weights = new Map([...before.weights].filter(([, weight]) => weight > 0))
      for (const { key, after } of changes.slice(0, count))
        if (after === 0) weights.delete(key)
        else weights.set(key, after)
      return { weights, recovery: new Set(recovery.filter((key) => weights.has(key))) }
    }),
  )
}

/** Orders the changes of keys in two ways: each removed key follows an added one, which replaces it; or all are removed first. */
function listOrders(before: Committee, target: Committee): WeightChange[][] {
  const keys = [...new Set([...before.weights.keys(), ...target.weights.keys()])].sort()
  const changes = keys
    .map((key) => ({ key, before: before.weights.get(key) ?? 0, after: target.weights.get(key) ?? 0 }))
    .filter((change) => change.before !== change.after)
  const removed = changes.filter(({ after }) => after === 0)
  const added = changes.filter((change) => change.before === 0)
  const changed = changes.filter((change) => change.before !== 0 && change.after !== 0)
  const replaced = Array.from({ length: Math.max(added.length, removed.length) }, (_, index) =>
    [added[index], removed[index]].filter((change) => change !== undefined),
  )
  return [
    [...changed, ...replaced.flat()],
    [...removed, ...changed, ...added],
  ]
}

/** Gives keys the highest threshold that they reach, and each recovery key alone; none if two quorums need not share a key. */
function withThreshold(keys: CommitteeKeys): Committee[] {
  const { weights, recovery } = keys
  const members = [...weights].filter(([key]) => !recovery.has(key))
  const alone = [...recovery].map((key) => weights.get(key) ?? 0)
  const highest = Math.min(totalWeight({ weights: new Map(members) }), ...alone)
  const found = { ...keys, deployment: highest, keyManagement: highest }
  const isSafe = highest > 0 && alwaysIntersect(quorumsOf(found))
  return isSafe && weightOfAll(found) <= MAX_TOTAL_WEIGHT ? [found] : []
}

/** Lowers each threshold in turn as far as the steps before and after allow. */
function lowerThresholds(before: Committee, path: readonly Committee[], target: Committee): Committee[] {
  const lowered: Committee[] = []
  for (const [index, highest] of path.entries()) {
    const previous = lowered.at(-1) ?? before
    const next = path[index + 1] ?? target
    const deployment = findLowest(highest.deployment, (deployment) => {
      const tried = { ...highest, deployment }
      return alwaysIntersect(quorumsOf(tried)) && canFollow(previous, tried) && canFollow(tried, next)
    })
    // As the target has it, if the keys that stay reach that.
    const staying = totalWeight({ weights: stayingOf(highest, target) })
    const keyManagement = Math.max(deployment, Math.min(staying, target.keyManagement))
    lowered.push({ ...highest, deployment, keyManagement })
  }
  return [...lowered, target]
}

/** Returns the lowest threshold from 1 that is allowed. Every higher one is allowed, too. */
function findLowest(highest: number, isAllowed: (threshold: number) => boolean): number {
  let [low, high] = [1, highest]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isAllowed(middle)) high = middle
    else low = middle + 1
  }
  return high
}

/** Among plans with equally many steps, prefers those during which most keys that stay may be missing, and then those with fewer keys. */
function pickBest(paths: readonly Committee[][], target: Committee): Committee[] | null {
  const downOf = (path: Committee[]): number => Math.min(...path.map((each) => countSpare(each, target)))
  const keysOf = (path: Committee[]): number => path.reduce((count, { weights }) => count + weights.size, 0)
  const [best] = paths.toSorted((a, b) => downOf(b) - downOf(a) || keysOf(a) - keysOf(b))
  return best ?? null
}

/** Returns how many of the keys that stay may be missing, if those that do not are missing, too: a removed key may be lost. */
function countSpare(committee: Committee, target: Committee): number {
  const { threshold } = quorumsOf(committee)
  return toleranceOf({ weights: stayingOf(committee, target), threshold })?.down ?? -1
}

/** Returns the weights of a committee's keys that the target has, too. Recovery keys are left out. */
const stayingOf = ({ weights, recovery }: Committee, target: Committee): Map<string, number> =>
  new Map([...weights].filter(([key]) => target.weights.has(key) && !recovery.has(key)))
