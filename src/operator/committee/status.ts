import type { Rpc } from '@wattfeed/casper'
import { readBlockPlace } from '@wattfeed/casper/light-client'
import { type Committee, committeeOfAccount, isSameCommittee } from '../../committee/committee.ts'
import { type Members, readMembers } from '../../committee/membersFile.ts'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { openRpc } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import { type AgentsReport, compareAgents, formatAgents } from './compareAgents.ts'
import {
  type CommitteeReport,
  describeDisjoint,
  describeKeyManagement,
  describeLone,
  describeQuorums,
  type KeyReport,
  type Names,
  namesOf,
  reportCommittee,
} from './describeCommittee.ts'
import { type Change, formatChanges, listChanges } from './listChanges.ts'
import { readCommitteeAccount } from './planChange.ts'
import { readAgents } from './readAgents.ts'
import { findAccountHash, readCommitteeSettings } from './settings.ts'

const statusHelp = `
Shows the keys that can sign for an account, their weights, and how many of them must sign. With a members file, it names
the keys, and shows what "apply" would change.

It also compares the agents of the members that have an address: their terms, such as LOOK_BACK and PAYMENT_MOTES, and
their clocks. Exits with 2 if the account differs from the file, or if agents differ or do not answer.

It shows the root of each dataset that the agents hold, and where they differ. Different roots do not change the exit code, because they
are normal for some minutes after a release.

Examples:
  $ ATTESTER_ACCOUNT=account-hash-105b… bun run committee status
  $ bun run committee status members.json --json | jq .least_signers`

export function addStatus(program: Program): void {
  program
    .add('status', 'show the keys of an account, and how many must sign', statusHelp)
    .argument('[members]', 'the members file to compare with')
    .action((file: string | undefined, { json }: JsonOption) =>
      program.terminal.run({ name: 'status', json }, async () => {
        const settings = readCommitteeSettings(program, { writes: false })
        const members = file === undefined ? null : await readMembers(file)
        const accountHash = await findAccountHash(settings, program)
        const { casperChainName: chainName } = settings
        const [found, answers] = await Promise.all([
          readStatus(openRpc(settings), accountHash, members),
          readAgents(members?.members ?? []),
        ])
        const agents = compareAgents(answers, { account: accountHash, chain_name: chainName })
        return {
          report: { command: 'status', chain_name: chainName, ...found.report, ...agents },
          text: [formatStatus(chainName, found), ...formatAgents(agents)].join('\n'),
          exitCode: isAsFiled(found, agents) ? exitCodes.done : exitCodes.someFailed,
        }
      }),
    )
}

const isAsFiled = ({ report }: CommitteeStatus, { different_terms, faults }: AgentsReport): boolean =>
  [report.differences, different_terms, faults].every(({ length }) => length === 0)

export interface CommitteeStatus {
  committee: Committee
  names: Names
  report: CommitteeReport & {
    /** `account-hash-…` */
    account: string
    /** 64 hex digits. */
    state_root_hash: string
    /** Changes needed for the account to match the members file. Empty without a file. */
    differences: Change[]
  }
}

async function readStatus(rpc: Rpc, accountHash: string, members: Members | null): Promise<CommitteeStatus> {
  const { stateRootHash } = await readBlockPlace(rpc, null)
  const account = await readCommitteeAccount(rpc, accountHash, stateRootHash)
  const committee = committeeOfAccount(account, members?.committee.recovery)
  const names = namesOf(members)
  const isSame = members === null || isSameCommittee(committee, members.committee)
  return {
    committee,
    names,
    report: {
      account: accountHash,
      state_root_hash: stateRootHash,
      ...reportCommittee(committee, names),
      differences: isSame ? [] : listChanges(committee, members.committee),
    },
  }
}

function formatStatus(chainName: string, { committee, names, report }: CommitteeStatus): string {
  const { account, state_root_hash, differences } = report
  return [
    `${chainName} at state root ${state_root_hash}`,
    account,
    formatKeys(report),
    `to send: weight ${report.deployment}; to change keys: weight ${report.key_management}`,
    describeQuorums(committee),
    ...describeDisjoint(committee),
    ...describeKeyManagement(committee),
    ...describeLone(committee, names),
    ...(differences.length === 0 ? [] : ['the members file has:', formatChanges(differences, names)]),
  ].join('\n')
}

const formatKeys = ({ keys }: Pick<CommitteeReport, 'keys'>): string =>
  formatTable([['key', 'name', 'weight', 'role'], ...keys.map(rowOf)])

const rowOf = ({ account_hash, name, weight, is_recovery }: KeyReport): string[] => [
  account_hash,
  name ?? '-',
  String(weight),
  is_recovery ? 'recovery' : 'member',
]
