import { type StaticDecode, Type } from '@sinclair/typebox'
import { defineError } from '@wattfeed/base'
import { accountHashOfHex, alwaysIntersect, formatAccountHash, totalWeight } from '@wattfeed/casper/types'
import { printable } from '../runtime/printable.ts'
import { readJsonFile } from '../runtime/readJsonFile.ts'
import { publicKey, textOf } from '../runtime/settings/textTypes.ts'
import { type Committee, MAX_TOTAL_WEIGHT, quorumsOf, weightOfAll } from './committee.ts'

/** A members file that breaks its rules, or cannot be read. */
export const MembersFileError = defineError(
  'MembersFileError',
  'members_file',
  (facts: {
    path: string
    /** The faults, with their places in the file, and what to do. */
    rule: string
  }) => `${facts.path} ${facts.rule}`,
)

const weight = Type.Integer({ minimum: 1, maximum: 254, error: 'a whole number from 1 to 254' })

const address = textOf('a URL that begins with https://, or http:// of this machine', (text) =>
  isMemberAddress(text) ? text : undefined,
)

const name = textOf('up to 40 visible characters without spaces', (text) =>
  /^\S{1,40}$/.test(text) && printable(text) === text ? text : undefined,
)

const Member = Type.Object(
  {
    publicKey,
    weight,
    /** Shown to people. */
    name: Type.Optional(name),
    /** Where the member's agent listens. */
    address: Type.Optional(address),
    /** Whether it can act alone and is kept offline. */
    recovery: Type.Optional(Type.Boolean({ error: 'true or false' })),
  },
  { additionalProperties: false },
)

const MembersFile = Type.Object(
  {
    thresholds: Type.Object({ deployment: weight, keyManagement: weight }, { additionalProperties: false }),
    members: Type.Array(Member, { minItems: 1, maxItems: 100, error: 'a list of 1 to 100 members' }),
  },
  { additionalProperties: false },
)

/** A member as the file lists it. */
export interface Member {
  /** Hex with the algorithm's byte: `01…` or `02…`. */
  readonly publicKey: string
  /** `account-hash-…` of the public key. */
  readonly accountHash: string
  readonly weight: number
  readonly name: string | null
  readonly address: string | null
  readonly isRecovery: boolean
}

/** The members of a committee, and the keys and thresholds that its account shall have. */
export interface Members {
  readonly members: readonly Member[]
  readonly committee: Committee
}

/**
 * Reads a members file.
 *
 * @throws {MembersFileError} with the place, the value and the rule.
 */
export async function readMembers(path: string): Promise<Members> {
  const fail = (rule: string) => new MembersFileError({ path, rule })
  const file = await readJsonFile(path, {
    schema: MembersFile,
    kind: 'a members file',
    cure: 'correct it and run the command again',
    fail,
  })
  if (file === null) throw fail('does not exist; name a members file')
  const members = file.members.map(memberOf)
  const committee = committeeOf(members, file.thresholds)
  const repeated = [...listRepeated(file, 'publicKey'), ...listRepeated(file, 'name')]
  const faults = repeated.length > 0 ? repeated : listFaults(committee, members)
  if (faults.length > 0) throw fail(`is not a members file: ${faults.join('; ')}`)
  return { members, committee }
}

type MembersFile = StaticDecode<typeof MembersFile>

const memberOf = (listed: MembersFile['members'][number]): Member => ({
  publicKey: listed.publicKey,
  accountHash: formatAccountHash(accountHashOfHex(listed.publicKey)),
  weight: listed.weight,
  name: listed.name ?? null,
  address: listed.address ?? null,
  isRecovery: listed.recovery ?? false,
})

const committeeOf = (members: readonly Member[], thresholds: MembersFile['thresholds']): Committee => ({
  weights: new Map(members.map((member) => [member.accountHash, member.weight])),
  recovery: new Set(members.filter(({ isRecovery }) => isRecovery).map(({ accountHash }) => accountHash)),
  ...thresholds,
})

function listFaults(committee: Committee, members: readonly Member[]): string[] {
  const { deployment, keyManagement } = committee
  const all = weightOfAll(committee)
  const quorums = quorumsOf(committee)
  const total = totalWeight(quorums)
  const weak = members.filter(({ isRecovery, weight }) => isRecovery && weight < keyManagement)
  const rules: [boolean, string][] = [
    [
      deployment > keyManagement,
      `thresholds.deployment is ${deployment}: it must be at most thresholds.keyManagement, ${keyManagement}`,
    ],
    [all > MAX_TOTAL_WEIGHT, `the weights add up to ${all}: they must add up to at most ${MAX_TOTAL_WEIGHT}`],
    [
      total < deployment,
      `thresholds.deployment is ${deployment}: it must be at most ${total}, the weight of all members without recovery keys`,
    ],
    [
      all < keyManagement,
      `thresholds.keyManagement is ${keyManagement}: it must be at most ${all}, the weight of all members`,
    ],
    [
      !alwaysIntersect(quorums),
      `thresholds.deployment is ${deployment}: it must be more than half of ${total}, the weight of all members without recovery keys, so that two groups that can sign share a member`,
    ],
  ]
  return [
    ...rules.filter(([isBroken]) => isBroken).map(([, rule]) => rule),
    ...weak.map(
      (member) =>
        `members.${members.indexOf(member)}.weight is ${member.weight}: a recovery key acts alone and needs at least thresholds.keyManagement, ${keyManagement}`,
    ),
  ]
}

function listRepeated({ members }: MembersFile, field: 'publicKey' | 'name'): string[] {
  return members.flatMap((member, index) => {
    const value = member[field]
    const first = members.findIndex((each) => each[field] === value)
    if (value === undefined || first === index) return []
    return [`members.${index}.${field} is ${value}: members.${first} has it already; use another one`]
  })
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

function isMemberAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isPrivate = username === '' && password === ''
  return isPrivate && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname)))
}
