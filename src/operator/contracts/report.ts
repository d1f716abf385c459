import { contractNames } from 'wattfeed/internal'
import { formatCost, formatTotal, type Total } from '../amounts.ts'
import { notSent, outcomeFields, type TransactionFields } from '../outcomeFields.ts'
import type { Outcome } from '../payAll.ts'
import { packageHashSetting } from '../settings.ts'
import type { PackageHashes } from './deploymentState.ts'
import { describeStep, type Step } from './step.ts'

export interface StepReport extends TransactionFields {
  step: string
  /** `done`: nothing to do. `pending`: sent by an earlier run. `planned`: would be sent. `written`: to `file`. */
  state: Outcome['state']
}

export const reportStep = (step: Step, outcome: Outcome): StepReport => ({
  step: describeStep(step),
  state: outcome.state,
  ...notSent,
  ...outcomeFields(outcome),
  // Only a dry run has a pending step. That is already sent, so it is no part of what this run would pay.
  ...(outcome.state === 'executed' ? { payment_motes: outcome.pending.payment_motes } : {}),
})

export interface Report extends Total {
  command: string
  chain_name: string
  /** `account-hash-…` */
  account: string
  deployment_file: string
  steps: StepReport[]
  /** 64 hex digits; null if a contract is not installed. */
  package_hashes: PackageHashes
}

export function formatReport(report: Report): string {
  const { command, chain_name, account, is_dry_run, steps } = report
  return [
    `${command} on ${chain_name} as ${account}`,
    ...steps.map(formatStep),
    formatTotal(report),
    ...contractNames.flatMap((name) => {
      const packageHash = report.package_hashes[name]
      return packageHash === null ? [] : [`${packageHashSetting[name]}=${packageHash}`]
    }),
    ...(is_dry_run ? [] : [`written to ${report.deployment_file}`]),
  ].join('\n')
}

function formatStep({ step, state, transaction_hash, ...motes }: StepReport): string {
  return `  ${step.padEnd(34)} ${state.padEnd(8)} ${[formatCost(motes), transaction_hash].filter(Boolean).join('  ')}`.trimEnd()
}
