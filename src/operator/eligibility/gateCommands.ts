import { join } from 'node:path'
import type { Command } from 'commander'
import type { Destination } from '../../casper/transaction/pendingRows.ts'
import type { Purpose } from '../../casper/transaction/transactionStore.ts'
import { formatSettings } from '../../runtime/formatSettings.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import { formatCspr } from '../amounts.ts'
import { readContractsSettings } from '../contractsSettings.ts'
import { openRpc } from '../open.ts'
import { executionFields, openPayer, type Payer, type PaymentOutcome, writtenFields } from '../pay.ts'
import { outFileOf, type PaidOptions, type Program, type ProgramContext, withOut } from '../program.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { parseFieldElement } from './fieldElement.ts'
import { rootsOfRemoved } from './group.ts'
import { readGroup } from './groupFile.ts'
import { findPackages } from './packages.ts'
import { readProofFile } from './proofFile.ts'
import { ProverError } from './proverError.ts'
import { runEligibility } from './runEligibility.ts'
import { claimSettings } from './settings.ts'
import { type ClaimOutcome, createClaimStore, submitClaim } from './submitClaim.ts'
import { type OnlyRootOutcome, type OnlyRootPlan, submitOnlyRoot } from './submitOnlyRoot.ts'
import {
  createOwnerCallStore,
  type OwnerSettings,
  submitRevocation,
  submitRoot,
  submitRootRemoval,
} from './submitOwnerCall.ts'

interface OwnerOptions extends PaidOptions {
  gate: string
}

const withGate = (command: Command): Command =>
  withOut(
    command
      .requiredOption('--gate <hash>', 'package hash of the EligibilityGate')
      .option('--dry-run', 'check everything and send nothing'),
  )

const setRootHelp = `
Settings: as for claim; the key is that of the gate's owner. The gate knows the newest 16 roots, so that proofs stay
valid while members are added. Proofs for an older or a removed root are rejected.

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
      runEligibility(program, 'set-root', options, (onExecuted) =>
        setRoot(program, file, options, onExecuted),
      ),
    )
}

async function setRoot(
  program: ProgramContext,
  file: string,
  { only = false, ...options }: SetRootOptions,
  onExecuted: () => void,
): Promise<object> {
  const { warn } = program.terminal
  parseGate(options.gate)
  await findPackages(program.environment, warn)
  const group = await readGroup(file)
  const root = group.roots.at(-1) ?? 0n
  if (!only && rootsOfRemoved(group).length > 0)
    warn('removed members can still prove with older roots of this group; --only removes those roots')
  const onPlan = (plan: OnlyRootPlan): void => warn(formatPlan(plan))
  return callAsOwner(
    program,
    only ? 'set-root --only' : 'set-root',
    options,
    { root: `${root}` },
    (settings) =>
      only ? submitOnlyRoot(root, { ...settings, onPlan, onExecuted }) : submitRoot(root, settings),
  )
}

function formatPlan({ isSet, removed, paymentMotes }: OnlyRootPlan): string {
  const calls = [
    ...(isSet ? ['sets the root'] : []),
    ...(removed.length > 0 ? [`removes ${removed.length}`] : []),
  ]
  const count = removed.length + (isSet ? 1 : 0)
  return `set-root --only ${calls.join(' and ')}: ${count} ${count === 1 ? 'transaction' : 'transactions'} for ${formatCspr(paymentMotes)} in total`
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
      runEligibility(program, 'remove-root', options, () => {
        const root = parseRoot(text)
        return callAsOwner(program, 'remove-root', options, { root: `${root}` }, (settings) =>
          submitRootRemoval(root, settings),
        )
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
      runEligibility(program, 'revoke', options, () => {
        const account = parseAccount(text)
        return callAsOwner(program, 'revoke', options, { account: `account-hash-${account}` }, (settings) =>
          submitRevocation(account, settings),
        )
      }),
    )
}

const claimHelp = `
Settings, from the environment:
${formatSettings(claimSettings)}

The command first verifies the proof and everything else that it can check, also with --dry-run, because the gate keeps
the payment for a proof that it rejects. If the account is already eligible, nothing is sent, and state is eligible.

A sent transaction is stored in AGENT_STATE_DIR until it is settled. A second run resumes it.

Examples:
  $ bun run eligibility claim alice.proof.json --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run eligibility claim alice.proof.json --json`

export function addClaim(program: Program): void {
  withOut(program.add('claim', 'submit a proof', claimHelp))
    .argument('<file>', 'the proof file')
    .option('--dry-run', 'check everything and send nothing')
    .action((file: string, options: PaidOptions) =>
      runEligibility(program, 'claim', options, () => claim(program, file, options)),
    )
}

async function claim(program: ProgramContext, file: string, options: PaidOptions): Promise<object> {
  using payer = await openGatePayer(program, 'claim', options)
  const proof = await readProofFile(file)
  using _ = payer.isDryRun ? null : acquireLock(join(payer.stateDir, 'claim.lock'), 'claim')
  const store = createClaimStore(payer.state, destinationOf(payer, proof.gatePackageHash))
  const outcome = await submitClaim(proof, { ...payer, store })
  const gate = `hash-${proof.gatePackageHash}`
  const account = payer.signer.accountHash
  if (outcome.state === 'eligible')
    program.terminal.warn(`${account} is already eligible at ${gate}; nothing was sent`)
  return { state: outcome.state, account, gate, ...formatOutcome(outcome) }
}

/** Calls a gate as its owner, and reports the outcome. Locks the store unless it is a dry run. */
async function callAsOwner(
  program: ProgramContext,
  what: string,
  options: OwnerOptions,
  named: object,
  submit: (settings: OwnerSettings) => Promise<PaymentOutcome | OnlyRootOutcome>,
): Promise<object> {
  const gatePackageHash = parseGate(options.gate)
  using payer = await openGatePayer(program, what, options)
  using _ = payer.isDryRun ? null : acquireLock(join(payer.stateDir, 'owner_call.lock'), 'owner_call')
  const store = createOwnerCallStore(payer.state, destinationOf(payer, gatePackageHash))
  const outcome = await submit({ ...payer, gatePackageHash, store })
  return { state: outcome.state, gate: `hash-${gatePackageHash}`, ...named, ...formatOutcome(outcome) }
}

const destinationOf = (
  { chainName, signer }: Pick<Payer<Purpose>, 'chainName' | 'signer'>,
  contract: string,
): Destination => ({ chainName, contract, account: signer.accountHash })

/** Opens the account that pays for a call of a gate; `what` names the call. */
async function openGatePayer<P extends Purpose>(
  { environment, terminal }: ProgramContext,
  what: string,
  { dryRun: isDryRun = false, ...options }: PaidOptions,
) {
  const settings = readContractsSettings(environment, true, claimSettings)
  for (const message of similarNames(environment, claimSettings)) terminal.warn(message)
  const rpc = openRpc(settings)
  const { stateDir, callPaymentMotes } = settings
  const payer = await openPayer<P>({
    settings,
    rpc,
    stateDir,
    purpose: what,
    isDryRun,
    terminal,
    nameOf: () => what,
    out: outFileOf(options),
  })
  return {
    ...payer,
    stateDir,
    ...(callPaymentMotes === null ? {} : { paymentMotes: callPaymentMotes }),
  }
}

function formatOutcome(outcome: ClaimOutcome | PaymentOutcome | OnlyRootOutcome): object {
  switch (outcome.state) {
    case 'planned':
      return 'plan' in outcome
        ? {
            removed_roots: outcome.plan.removed.map(String),
            payment_motes: outcome.plan.paymentMotes.toString(),
          }
        : { payment_motes: outcome.paymentMotes.toString() }
    case 'pending':
      return { transaction_hash: outcome.transactionHash }
    case 'written':
      return writtenFields(outcome.written)
    case 'executed':
      return 'removed' in outcome
        ? formatRemovals(outcome)
        : { transaction_hash: outcome.executed.transactionHash, ...executionFields(outcome.executed) }
    default:
      return {}
  }
}

const formatRemovals = ({ removed, executed }: OnlyRootOutcome & { state: 'executed' }) => ({
  removed_roots: removed.map(String),
  transactions: executed.map(({ transactionHash }) => transactionHash),
  charged_motes: executed.reduce((sum, { chargedMotes }) => sum + chargedMotes, 0n).toString(),
})
