import { join } from 'node:path'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { readMembers } from '../../committee/membersFile.ts'
import { runPaying } from '../exitCode.ts'
import { openRpc } from '../open.ts'
import { openPayer } from '../openPayer.ts'
import { outcomeFields } from '../outcomeFields.ts'
import type { Outcome } from '../payAll.ts'
import { addOutOptions, type PaidOptions, type Program } from '../program.ts'
import { type PlanOptions, removedRecoveryOption, runPlan } from './plan.ts'
import { lifetimeOf, readCommitteeSettings } from './settings.ts'
import { ChangePurpose, submitChange } from './submitChange.ts'

const applyHelp = `
Gives an account the keys and thresholds of a members file, by one transaction, and checks the account afterwards.
Refuses a change after which values could be attested twice: "plan" shows the steps that avoid this, and --step makes the
first of them. Run it again for each further step.

If one key cannot change keys alone, write the transaction to a file with --out, and let other keys sign it.
A sent transaction is stored in AGENT_STATE_DIR until it is settled. A second run resumes it.

Examples:
  $ bun run committee apply members.json --dry-run
  $ bun run committee apply members.json --step
  $ bun run committee apply members.json --out change.json`

interface ApplyOptions extends PaidOptions, PlanOptions {
  step?: boolean
}

export function addApply(program: Program): void {
  addOutOptions(program.add('apply', 'give an account the keys of a members file', applyHelp))
    .argument('<members>', 'the members file')
    .option('--dry-run', 'do what "plan" does, and send nothing')
    .option('--step', 'make the first step of a plan that has several')
    .option(...removedRecoveryOption)
    .action((file: string, options: ApplyOptions) =>
      options.dryRun ? runPlan(program, 'apply', file, options) : apply(program, file, options),
    )
}

function apply(program: Program, file: string, { json, ...options }: ApplyOptions): Promise<void> {
  return runPaying(program, { name: 'apply', json }, async (onStep) => {
    const settings = readCommitteeSettings(program, { writes: true })
    const { casperChainName: chainName, agentStateDir: stateDir } = settings
    const { committee: target } = await readMembers(file)
    using payer = await openPayer(options, {
      settings,
      rpc: openRpc(settings),
      terminal: program.terminal,
      stateDir,
      purpose: 'apply',
      lock: [join(stateDir, 'committee.lock'), 'apply'],
      contract: 'committee',
      openStore: (place) => createSqliteStore({ ...place, purpose: ChangePurpose }),
      nameOf: () => 'change of keys',
      onStep,
    })
    const { accountHash } = payer.signer
    const outcome = await submitChange({
      ...payer,
      accountHash,
      target,
      removedRecovery: options.removedRecovery ?? [],
      isStepwise: options.step ?? false,
      lifetimeMs: lifetimeOf(settings),
      paymentMotes: settings.paymentMotes ?? undefined,
    })
    const { state } = outcome
    const report = { chain_name: chainName, account: accountHash, state, ...outcomeFields(outcome) }
    return { report: { command: 'apply', ...report }, text: formatOutcome(accountHash, outcome) }
  })
}

function formatOutcome(accountHash: string, outcome: Outcome): string {
  switch (outcome.state) {
    case 'written':
      return `${accountHash}: the change is in ${outcome.written.file}; nothing was sent`
    case 'executed':
      return `${accountHash}: changed by transaction ${outcome.executed.transactionHash} in block ${outcome.executed.blockHeight}`
    default:
      return `${accountHash}: nothing changes: the account is as the members file says`
  }
}
