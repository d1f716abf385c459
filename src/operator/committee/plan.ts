import { accountHashOfText, formatAccountHash } from '@wattfeed/casper/types'
import { InvalidArgumentError } from 'commander'
import type { Committee } from '../../committee/committee.ts'
import { type Members, readMembers } from '../../committee/membersFile.ts'
import { formatCspr } from '../amounts.ts'
import { openRpc } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import {
  type CommitteeReport,
  describeKeyManagement,
  describeLone,
  describeQuorums,
  type Names,
  namesOf,
  reportCommittee,
} from './describeCommittee.ts'
import { type Change, formatChanges, listChanges } from './listChanges.ts'
import { type ChangePlan, planChange } from './planChange.ts'
import { findAccountHash, lifetimeOf, readCommitteeSettings } from './settings.ts'
import { paymentOf } from './submitChange.ts'

const planHelp = `
Shows what "apply" would change, who can sign afterwards, and how many members may be down, lie or sign twice without harm.

No value is attested twice while each group of members that can sign after a change shares a member with each group that
could sign before. If one change cannot keep this, plan shows several steps, with a transaction's lifetime between two.

Examples:
  $ bun run committee plan members.json
  $ bun run committee plan members.json --json | jq '.steps | length'`

export interface PlanOptions extends JsonOption {
  removedRecovery?: readonly string[]
}

export const removedRecoveryOption = [
  '--removed-recovery <key>',
  'a recovery key that the change removes, as account-hash-… or public key; can be repeated',
  addKey,
] as const

/** Parses the key of an option that can be repeated, and adds it to the `earlier` ones. */
function addKey(text: string, earlier: readonly string[] = []): string[] {
  const hash = accountHashOfText(text)
  if (hash === null) throw new InvalidArgumentError('It must be account-hash-… or a public key in hex.')
  return [...earlier, formatAccountHash(hash)]
}

export function addPlan(program: Program): void {
  program
    .add('plan', 'show how an account gets the keys of a members file', planHelp)
    .argument('<members>', 'the members file')
    .option(...removedRecoveryOption)
    .action((file: string, options: PlanOptions) => runPlan(program, 'plan', file, options))
}

/** Runs `plan`, also as the dry run of another command. */
export function runPlan(
  program: Program,
  name: string,
  file: string,
  { json, removedRecovery = [] }: PlanOptions,
): Promise<void> {
  return program.terminal.run({ name, json }, async () => {
    const settings = readCommitteeSettings(program, { writes: false })
    const members = await readMembers(file)
    const accountHash = await findAccountHash(settings, program)
    const lifetimeMs = lifetimeOf(settings)
    const { committee: target } = members
    const plan = await planChange({
      rpc: openRpc(settings),
      accountHash,
      target,
      removedRecovery,
      lifetimeMs,
    })
    const report = reportPlan(plan, { accountHash, lifetimeMs, members })
    return {
      report: { command: name, chain_name: settings.casperChainName, ...report },
      text: formatPlan(settings.casperChainName, plan, report, namesOf(members)),
    }
  })
}

export interface PlanReport {
  /** `account-hash-…` */
  account: string
  /** 64 hex digits: where the account was read. */
  state_root_hash: string
  changes: Change[]
  after: CommitteeReport
  steps: { changes: Change[]; after: CommitteeReport }[]
  /** The least time between two steps, in milliseconds. */
  pause_ms: number
  /** When the first step may be executed, in ISO 8601; null if now. */
  not_before: string | null
  /** Default payment limit of the first step; null if there is no step. */
  payment_motes: string | null
}

function reportPlan(
  plan: ChangePlan,
  { accountHash, lifetimeMs, members }: { accountHash: string; lifetimeMs: number; members: Members },
): PlanReport {
  const { stateRootHash, before, target, steps, notBefore } = plan
  const names = namesOf(members)
  return {
    account: accountHash,
    state_root_hash: stateRootHash,
    changes: listChanges(before, target),
    after: reportCommittee(target, names),
    steps: steps.map((step, index) => ({
      changes: listChanges(steps[index - 1] ?? before, step),
      after: reportCommittee(step, names),
    })),
    pause_ms: lifetimeMs,
    not_before: notBefore === null ? null : new Date(notBefore).toISOString(),
    payment_motes: steps[0] === undefined ? null : `${paymentOf(plan, steps[0])}`,
  }
}

function formatPlan(
  chainName: string,
  { before, target, steps }: ChangePlan,
  report: PlanReport,
  names: Names,
): string {
  return [
    `${chainName} at state root ${report.state_root_hash}`,
    report.account,
    ...(steps.length === 0 ? ['nothing changes: the account is as the members file says'] : []),
    ...(steps.length === 1 ? [formatChanges(report.changes, names)] : []),
    ...(steps.length > 1 ? formatSteps(steps, report, names) : []),
    ...(report.not_before === null
      ? []
      : [`the keys changed a short time ago: wait until ${report.not_before}`]),
    ...(report.payment_motes === null
      ? []
      : [`the next step pays at most ${formatCspr(BigInt(report.payment_motes))}`]),
    ...formatSigners(before, target),
    ...describeKeyManagement(target),
    ...describeLone(target, names),
  ].join('\n')
}

function formatSteps(steps: readonly Committee[], report: PlanReport, names: Names): string[] {
  return [
    `${steps.length} steps, at least ${Math.ceil(report.pause_ms / 1_000)} s apart; run "apply --step" for each:`,
    ...steps.flatMap((step, index) => [
      `step ${index + 1}: ${describeQuorums(step)}`,
      formatChanges(report.steps[index]?.changes ?? [], names),
    ]),
  ]
}

const formatSigners = (before: Committee, target: Committee): string[] => [
  `now: ${describeQuorums(before)}`,
  `afterwards: ${describeQuorums(target)}`,
]
