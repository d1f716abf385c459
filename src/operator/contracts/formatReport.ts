import { contractNames } from '../../registry/installation.ts'
import { packageHashSetting } from '../contractsSettings.ts'
import { formatCspr } from './cspr.ts'
import type { PackageHashes } from './deploymentState.ts'
import type { StepReport } from './report.ts'

/** What a command that writes has done, or would do: what `--json` prints. */
export interface Report {
  command: string
  chain_name: string
  /** `account-hash-…` */
  account: string
  is_dry_run: boolean
  deployment_file: string
  steps: StepReport[]
  /** The most that is paid for what was or would be sent, in motes. */
  payment_motes: string
  /** What was paid in the end, in motes. */
  charged_motes: string
  /** 64 hex digits, null where a contract is not installed. */
  package_hashes: PackageHashes
}

/** A report for people. */
export function formatReport(report: Report): string {
  const { command, chain_name, account, is_dry_run, steps, payment_motes, charged_motes } = report
  const total = is_dry_run
    ? `would pay ${formatCspr(BigInt(payment_motes))} at most; nothing was sent`
    : `paid ${formatCspr(BigInt(charged_motes))}`
  return [
    `${command} on ${chain_name} as ${account}`,
    ...steps.map(formatStep),
    total,
    ...contractNames.flatMap((name) => {
      const packageHash = report.package_hashes[name]
      return packageHash === null ? [] : [`${packageHashSetting[name]}=${packageHash}`]
    }),
    ...(is_dry_run ? [] : [`written to ${report.deployment_file}`]),
  ].join('\n')
}

function formatStep({ step, state, payment_motes, charged_motes, transaction_hash }: StepReport): string {
  const cost =
    charged_motes !== null
      ? `cost ${formatCspr(BigInt(charged_motes))}`
      : payment_motes !== null
        ? `pays ${formatCspr(BigInt(payment_motes))}`
        : ''
  return `  ${step.padEnd(34)} ${state.padEnd(8)} ${[cost, transaction_hash].filter(Boolean).join('  ')}`.trimEnd()
}
