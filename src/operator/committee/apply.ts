import { join } from 'node:path'
import { readMembers } from '../../agent/committee/membersFile.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { exitCodeOf } from '../exitCode.ts'
import { openRpc } from '../open.ts'
import { executionFields, openPayer, type PaymentOutcome, writtenFields } from '../pay.ts'
import { outFileOf, type PaidOptions, type Program, withOut } from '../program.ts'
import { type PlanOptions, removedRecoveryOption, runPlan } from './plan.ts'
import { lifetimeOf, readCommitteeSettings } from './settings.ts'
import { type ChangePurpose, createChangeStore, submitChange } from './submitChange.ts'

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
  withOut(program.add('apply', 'give an account the keys of a members file', applyHelp))
    .argument('<members>', 'the members file')
    .option('--dry-run', 'do what "plan" does, and send nothing')
    .option('--step', 'make the first step of a plan that has several')
    .option(...removedRecoveryOption)
    .action((file: string, options: ApplyOptions) =>
      options.dryRun ? runPlan(program, 'apply', file, options) : apply(program, file, options),
    )
}

function apply(program: Program, file: string, { json, ...options }: ApplyOptions): Promise<void> {
  const { terminal } = program
  let hasSent = false
  return terminal.run(
    { name: 'apply', json, exitCodeOf: (error) => exitCodeOf(error, hasSent) },
    async () => {
      const settings = readCommitteeSettings(program, { writes: true })
      const { committee: target } = await readMembers(file)
      using payer = await openPayer<ChangePurpose>({
        settings,
        rpc: openRpc(settings),
        stateDir: settings.stateDir,
        purpose: 'apply',
        terminal,
        nameOf: () => 'change of keys',
        out: outFileOf(options),
      })
      const { accountHash } = payer.signer
      using _ = acquireLock(join(settings.stateDir, 'committee.lock'), 'apply')
      const destination = { chainName: settings.chainName, contract: 'committee', account: accountHash }
      const outcome = await submitChange({
        ...payer,
        accountHash,
        target,
        store: createChangeStore(payer.state, destination),
        removedRecovery: options.removedRecovery ?? [],
        isStepwise: options.step ?? false,
        lifetimeMs: lifetimeOf(settings),
        paymentMotes: settings.callPaymentMotes ?? undefined,
        onStep(step) {
          hasSent ||= step.step === 'written' || step.step === 'settled'
          return payer.onStep?.(step)
        },
      })
      const report = { chain_name: settings.chainName, account: accountHash, ...reportOutcome(outcome) }
      return { report: { command: 'apply', ...report }, text: formatOutcome(accountHash, outcome) }
    },
  )
}

function reportOutcome(outcome: PaymentOutcome): object {
  switch (outcome.state) {
    case 'written':
      return { state: outcome.state, ...writtenFields(outcome.written) }
    case 'executed':
      return {
        state: outcome.state,
        transaction_hash: outcome.executed.transactionHash,
        ...executionFields(outcome.executed),
      }
    default:
      return { state: outcome.state }
  }
}

function formatOutcome(accountHash: string, outcome: PaymentOutcome): string {
  switch (outcome.state) {
    case 'written':
      return `${accountHash}: the change is in ${outcome.written.file}; nothing was sent`
    case 'executed':
      return `${accountHash}: changed by transaction ${outcome.executed.transactionHash} in block ${outcome.executed.blockHeight}`
    default:
      return `${accountHash}: nothing changes: the account is as the members file says`
  }
}
