import { createSqliteStore } from '@wattfeed/casper/sqlite'
import type { Command } from 'commander'
import { formatCspr } from '../amounts.ts'
import { outcomeFields } from '../outcomeFields.ts'
import type { Outcome } from '../payAll.ts'
import { plural } from '../plural.ts'
import { addOutOptions, type PaidOptions, type Program, type ProgramContext } from '../program.ts'
import { claimSettings, neededToPay, readSettings } from '../settings.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { parseFieldElement } from './fieldElement.ts'
import { type GateCall, openGatePayer } from './gatePayer.ts'
import { newestRoot, rootsOfRemoved } from './group.ts'
import { readExistingGroupFile } from './groupFile.ts'
import {
  OwnerPurpose,
  type OwnerSettings,
  submitRevocation,
  submitRoot,
  submitRootRemoval,
} from './ownerCalls.ts'
import { preparePackages } from './packages.ts'
import { ProverError } from './proverError.ts'
import { type OnStep, runEligibility } from './runEligibility.ts'
import { type OnlyRootOutcome, type OnlyRootPlan, submitOnlyRoot } from './submitOnlyRoot.ts'

interface OwnerOptions extends PaidOptions {
  gate: string
}

const withGate = (command: Command): Command =>
  addOutOptions(
    command
      .requiredOption('--gate <hash>', 'package hash of the EligibilityGate')
      .option('--dry-run', 'check everything and send nothing'),
  )

const setRootHelp = `
Settings: PROVER_DIR, and those of claim; the key is that of the gate's owner. The gate knows the newest 16 roots, so
that proofs stay valid while members are added. Proofs for an older or a removed root are rejected.

--only then removes all other roots that the gate accepts, one transaction each. It is needed after a member was removed,
and for roots that were made from commitments. The cost is printed before anything is sent.

After an interruption, run it again: it resumes. Unclaimed proofs must be created again.

Examples:
  $ bun run eligibility set-root members.json --gate hash-7fb6… --dry-run
  $ bun run eligibility set-root members.json --gate hash-7fb6… --only`

interface SetRootOptions extends OwnerOptions {
  only?: boolean
}

export function addSetRoot(program: Program): void {
  withGate(program.add('set-root', 'set a group’s root at a gate, as its owner', setRootHelp))
    .argument('<file>', 'the group file')
    .option('--only', 'remove all other roots that the gate knows, one transaction each')
    .action((file: string, options: SetRootOptions) =>
      runEligibility(program, 'set-root', options, (onStep) => setRoot(program, file, options, onStep)),
    )
}

async function setRoot(
  program: ProgramContext,
  file: string,
  { only = false, ...options }: SetRootOptions,
  onStep: OnStep,
): Promise<object> {
  const { warn } = program.terminal
  parseGate(options.gate)
  await preparePackages(program.environment, warn)
  const group = await readExistingGroupFile(file)
  const root = newestRoot(group)
  if (!only && rootsOfRemoved(group).length > 0)
    warn('removed members can still prove with older roots of this group; --only removes those roots')
  const onPlan = (plan: OnlyRootPlan): void => warn(formatPlan(plan))
  const call = { program, what: only ? 'set-root --only' : 'set-root', options, onStep }
  return callAsOwner(call, { root: `${root}` }, (settings) =>
    only ? submitOnlyRoot(root, { ...settings, onPlan }) : submitRoot(root, settings),
  )
}

function formatPlan({ setsRoot, removed, paymentMotes }: OnlyRootPlan): string {
  const calls = [
    ...(setsRoot ? ['sets the root'] : []),
    ...(removed.length > 0 ? [`removes ${removed.length}`] : []),
  ]
  const count = removed.length + (setsRoot ? 1 : 0)
  return `set-root --only ${calls.join(' and ')}: ${plural(count, 'transaction')} for ${formatCspr(paymentMotes)} in total`
}

const removeRootHelp = `
Give the root that group printed for the earlier members. The gate then rejects proofs for it. Accounts that have
claimed with such a proof stay eligible; use revoke for them. If the gate does not know the root, nothing is sent, and
state is done.

Settings: as for claim; the key is that of the gate's owner.

Example:
  $ bun run eligibility remove-root 1273…9 --gate hash-7fb6… --dry-run`

export function addRemoveRoot(program: Program): void {
  withGate(program.add('remove-root', 'remove a root at a gate, as its owner', removeRootHelp))
    .argument('<root>', 'the root, in decimal or in hex with 0x')
    .action((text: string, options: OwnerOptions) =>
      runEligibility(program, 'remove-root', options, (onStep) => {
        const root = parseRoot(text)
        const call = { program, what: 'remove-root', options, onStep }
        return callAsOwner(call, { root: `${root}` }, (settings) => submitRootRemoval(root, settings))
      }),
    )
}

function parseRoot(text: string): bigint {
  const root = parseFieldElement(text)
  if (root === null)
    throw new ProverError({
      reason: 'root',
      message: `${text.slice(0, 100)} is not a root: give a positive number below the field’s order, in decimal or in hex with 0x`,
    })
  return root
}

const revokeHelp = `
The account can no longer register new feeds, but keeps those that it has claimed. The identity that vouched for it
stays used; another identity may vouch for it again. If the account is not eligible, nothing is sent, and state is
done.

Settings: as for claim; the key is that of the gate's owner.

Example:
  $ bun run eligibility revoke account-hash-105b… --gate hash-7fb6… --dry-run`

export function addRevoke(program: Program): void {
  withGate(program.add('revoke', 'revoke an account’s eligibility, as the gate’s owner', revokeHelp))
    .argument('<account>', 'account-hash-… or a public key in hex')
    .action((text: string, options: OwnerOptions) =>
      runEligibility(program, 'revoke', options, (onStep) => {
        const account = parseAccount(text)
        const call = { program, what: 'revoke', options, onStep }
        return callAsOwner(call, { account: `account-hash-${account}` }, (settings) =>
          submitRevocation(account, settings),
        )
      }),
    )
}

async function callAsOwner(
  call: GateCall<OwnerOptions>,
  named: object,
  submit: (settings: OwnerSettings) => Promise<Outcome | OnlyRootOutcome>,
): Promise<object> {
  const gatePackageHash = parseGate(call.options.gate)
  using payer = await openGatePayer(call, readSettings(call.program, claimSettings, neededToPay), {
    kind: 'owner_call',
    gatePackageHash,
    openStore: (place) => createSqliteStore({ ...place, purpose: OwnerPurpose }),
  })
  const outcome = await submit({ ...payer, gatePackageHash })
  return { state: outcome.state, gate: `hash-${gatePackageHash}`, ...named, ...fieldsOf(outcome) }
}

function fieldsOf(outcome: Outcome | OnlyRootOutcome): object {
  if ('plan' in outcome) {
    const { removed, paymentMotes } = outcome.plan
    return { removed_roots: removed.map(String), payment_motes: paymentMotes.toString() }
  }
  if (!('removed' in outcome)) return outcomeFields(outcome)
  const { removed, sent } = outcome
  return {
    removed_roots: removed.map(String),
    transactions: sent.map(({ pending }) => pending.transaction_hash),
    charged_motes: sent.reduce((sum, { executed }) => sum + executed.chargedMotes, 0n).toString(),
  }
}
