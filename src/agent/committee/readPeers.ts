import { type Member, MembersFileError, readMembers } from '../../committee/membersFile.ts'
import type { Peer } from './http/callMember.ts'

/** The members of a committee that run agents, as `COMMITTEE_PEERS` lists them. */
export interface CommitteePeers {
  /** Account hashes of all members that take turns, this one included. */
  readonly members: readonly string[]
  /** The others. */
  readonly peers: readonly Peer[]
  /** Account hashes of the keys that may act alone. */
  readonly recovery: ReadonlySet<string>
}

/**
 * Reads the members file of `COMMITTEE_PEERS`. Recovery keys run no agent and are left out.
 *
 * @param path of the members file
 * @param keyHash account hash of this member's key
 * @throws {MembersFileError} with the place, the value and the rule.
 */
export async function readPeers(path: string, keyHash: string): Promise<CommitteePeers> {
  const { members, committee } = await readMembers(path)
  const taking = members.filter(({ isRecovery }) => !isRecovery)
  const others = taking.filter(({ accountHash }) => accountHash !== keyHash)
  const faults = [
    ...(others.length < taking.length
      ? []
      : [`lists no member with the key of ATTESTER_KEY_PATH, whose account hash is ${keyHash}; add it`]),
    ...others.flatMap((member) => (member.address === null ? [addressFault(members, member)] : [])),
  ]
  if (faults.length > 0) throw new MembersFileError({ path, rule: faults.join('; ') })
  return {
    members: taking.map(({ accountHash }) => accountHash),
    peers: others.flatMap(peerOf),
    recovery: committee.recovery,
  }
}

const addressFault = (members: readonly Member[], member: Member): string =>
  `has no members.${members.indexOf(member)}.address: COMMITTEE_PEERS needs the address of each member's agent`

const peerOf = ({ accountHash, publicKey, name, address }: Member): Peer[] =>
  address === null ? [] : [{ accountHash, publicKey, name: name ?? accountHash, address }]
