import { countSigners, type Quorums, toleranceOf, totalWeight } from '@wattfeed/casper/types'
import { type Committee, findDisjointQuorums, quorumsOf, signsAlone } from '../../committee/committee.ts'
import type { Members } from '../../committee/membersFile.ts'
import { plural } from '../plural.ts'

export interface CommitteeReport {
  keys: KeyReport[]
  /** The least weights that send transactions, and that change keys. */
  deployment: number
  key_management: number
  /** Minimum number of keys that can sign, without recovery keys; null if all keys together cannot. */
  least_signers: number | null
  /** Number of keys that may fail, in the worst case; null if all keys together cannot sign. Recovery keys do not count. */
  tolerates: { down: number; liars: number; double_signers: number | null } | null
}

export interface KeyReport {
  /** `account-hash-…` */
  account_hash: string
  /** From the members file. */
  name: string | null
  weight: number
  is_recovery: boolean
  signs_alone: boolean
}

/** The members' names by account hash. */
export type Names = ReadonlyMap<string, string | null>

export const namesOf = (members: Members | null): Names =>
  new Map(members?.members.map(({ accountHash, name }) => [accountHash, name]))

export function reportCommittee(committee: Committee, names: Names): CommitteeReport {
  const quorums = quorumsOf(committee)
  const tolerance = toleranceOf(quorums)
  return {
    keys: [...committee.weights].map(([account_hash, weight]) => ({
      account_hash,
      name: names.get(account_hash) ?? null,
      weight,
      is_recovery: committee.recovery.has(account_hash),
      signs_alone: signsAlone(committee, account_hash),
    })),
    deployment: committee.deployment,
    key_management: committee.keyManagement,
    least_signers: countSigners(quorums),
    tolerates: tolerance && {
      down: tolerance.down,
      liars: tolerance.liars,
      double_signers: tolerance.doubleSigners,
    },
  }
}

/** Formats the quorum and the failures it tolerates: `4 of 5 tolerates 1 down, 3 liars and 2 double signers`. */
export function describeQuorums(committee: Committee): string {
  const quorums = quorumsOf(committee)
  const tolerance = toleranceOf(quorums)
  if (tolerance === null && hasLone(committee, quorums)) return 'only a recovery key can sign'
  if (tolerance === null)
    return `no keys can sign: they weigh ${totalWeight(quorums)} of ${quorums.threshold}`
  const { down, liars, doubleSigners } = tolerance
  const faults = `tolerates ${down || 'none'} down, ${count(liars, 'liar')}`
  if (doubleSigners === null)
    return `${describeSigners(quorums)} ${faults}; two groups that sign need not share a key`
  return `${describeSigners(quorums)} ${faults} and ${count(doubleSigners, 'double signer')}`
}

/** Says why the agents refuse to attest with these keys, and what to change. */
export function describeDisjoint(committee: Committee): string[] {
  const fault = findDisjointQuorums(committee)
  return fault === null ? [] : [`the members' agents attest nothing: ${fault}`]
}

/** Says who can change keys, and how many keys may be lost before nobody can, if that needs more weight than to send. */
export function describeKeyManagement(committee: Committee): string[] {
  const { deployment, keyManagement } = committee
  if (keyManagement === deployment) return []
  const quorums = quorumsOf({ ...committee, deployment: keyManagement })
  const tolerance = toleranceOf(quorums)
  if (tolerance === null) return ['changes of keys need a recovery key']
  const need = `changes of keys need ${describeSigners(quorums)}`
  if (hasLone(committee, quorums)) return [`${need}, or a recovery key`]
  const { down } = tolerance
  if (down === 0) return [`${need}: if one key is lost, nobody can change the keys any more`]
  return [`${need}; ${down} may be lost`]
}

/** Returns whether some key is left out of the quorums because it is a recovery key that acts alone. */
const hasLone = ({ weights }: Committee, quorums: Quorums): boolean => quorums.weights.size < weights.size

function describeSigners(quorums: Quorums): string {
  const weights = [...quorums.weights.values()]
  const signers = countSigners(quorums)
  if (new Set(weights).size === 1) return `${signers} of ${weights.length}`
  return `weight ${quorums.threshold} of ${totalWeight(quorums)} (${signers} of ${weights.length} keys or more)`
}

const count = (number: number, what: string): string => (number === 0 ? `no ${what}` : plural(number, what))

export const describeLone = (committee: Committee, names: Names): string[] =>
  [...committee.weights.keys()]
    .filter((key) => signsAlone(committee, key))
    .map(
      (key) => `${nameKey(key, names)} can sign alone${committee.recovery.has(key) ? ' (recovery key)' : ''}`,
    )

const nameKey = (key: string, names: Names): string => names.get(key) ?? key
