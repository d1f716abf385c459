import { join } from 'node:path'
import type { TransactionTerms } from '../../casper/transaction/createTransaction.ts'
import type { SendStep } from '../../casper/transaction/durableSender.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { type Purpose, pendingFolder } from '../../casper/transaction/pendingStore.ts'
import { loadSigner } from '../../casper/transaction/signer.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import type { Environment } from '../../runtime/settings.ts'
import { formatCspr } from '../amounts.ts'
import { createContractsRpc } from '../contracts/runOperation.ts'
import { readContractsSettings } from '../contractsSettings.ts'
import { formatProgress, reportProgress, startWaiting } from '../progress.ts'
import { openGate } from './gate.ts'
import { claimSettings } from './help.ts'
import { readProofFile } from './proofFile.ts'
import { type ClaimOutcome, type ClaimSettings, createClaimStore, submitClaim } from './submitClaim.ts'
import { type OnlyRootOutcome, type OnlyRootPlan, submitOnlyRoot } from './submitOnlyRoot.ts'
import {
  createOwnerCallStore,
  type OwnerOutcome,
  type OwnerSettings,
  submitRevocation,
  submitRoot,
  submitRootRemoval,
} from './submitOwnerCall.ts'

/** The options of a command that sends something. */
export interface SubmissionRequest {
  isDryRun: boolean
  environment: Environment
  warn: (message: string) => void
  progress: (line: string) => void
}

/** The options of a gate owner's command. */
export interface OwnerRequest extends SubmissionRequest {
  /** 64 hex digits. */
  gatePackageHash: string
}

/**
 * Submits a proof file, and reports the outcome. Verifies the proof before it pays. Locks the file unless it is a dry
 * run.
 */
export async function claim(path: string, request: SubmissionRequest): Promise<object> {
  using opened = await openSubmission('claim', request)
  const { submission, stateDir } = opened
  const proof = await readProofFile(path)
  const at = [stateDir, submission.chainName, proof.gatePackageHash] as const
  using _ = request.isDryRun ? null : acquireLock(join(pendingFolder(...at), 'claim.lock'))
  const store = createClaimStore(...at)
  const outcome = await submitClaim(proof, { ...submission, store })
  const gate = `hash-${proof.gatePackageHash}`
  const account = submission.signer.accountHash
  if (outcome.state === 'eligible')
    request.warn(`${account} is eligible at ${gate} already; there is nothing to claim, and nothing was sent`)
  return { state: outcome.state, account, gate, ...formatOutcome(outcome) }
}

/** Makes a root the newest one of a gate. */
export const setRoot = (root: bigint, request: OwnerRequest): Promise<object> =>
  callAsOwner('set-root', request, { root: root.toString() }, (settings) => submitRoot(root, settings))

/** Makes a root the only one of a gate. Says what that pays before anything is sent. */
export const setOnlyRoot = (
  root: bigint,
  request: OwnerRequest & { onExecuted: () => void },
): Promise<object> =>
  callAsOwner('set-root --only', request, { root: root.toString() }, (settings) =>
    submitOnlyRoot(root, {
      ...settings,
      onPlan: (plan) => request.warn(formatPlan(plan)),
      onExecuted: request.onExecuted,
    }),
  )

function formatPlan({ isSet, removed, paymentMotes }: OnlyRootPlan): string {
  const calls = [
    ...(isSet ? ['sets the root'] : []),
    ...(removed.length > 0 ? [`removes ${removed.length}`] : []),
  ]
  const count = removed.length + (isSet ? 1 : 0)
  return `set-root --only ${calls.join(' and ')}: ${count} ${count === 1 ? 'transaction, which pays' : 'transactions, which pay'} ${formatCspr(paymentMotes)} together`
}

/** Lists the roots that a gate accepts, oldest first. */
export async function listRoots({ gatePackageHash, environment }: OwnerRequest): Promise<bigint[]> {
  const rpc = createContractsRpc(readContractsSettings(environment, false, claimSettings))
  return (await openGate(rpc, gatePackageHash)).listRoots()
}

/** Removes a root. */
export const removeRoot = (root: bigint, request: OwnerRequest): Promise<object> =>
  callAsOwner('remove-root', request, { root: root.toString() }, (settings) =>
    submitRootRemoval(root, settings),
  )

/** Revokes the eligibility of an account, 64 hex digits. */
export const revoke = (accountHash: string, request: OwnerRequest): Promise<object> =>
  callAsOwner('revoke', request, { account: `account-hash-${accountHash}` }, (settings) =>
    submitRevocation(accountHash, settings),
  )

/** Calls the gate and reports the outcome. Locks the pending call's file unless it is a dry run. */
async function callAsOwner(
  what: string,
  { gatePackageHash, ...request }: OwnerRequest,
  named: object,
  submit: (settings: OwnerSettings) => Promise<OwnerOutcome | OnlyRootOutcome>,
): Promise<object> {
  using opened = await openSubmission(what, request)
  const { submission, stateDir } = opened
  const at = [stateDir, submission.chainName, gatePackageHash] as const
  using _ = request.isDryRun ? null : acquireLock(join(pendingFolder(...at), 'owner_call.lock'))
  const store = createOwnerCallStore(...at)
  const outcome = await submit({ ...submission, gatePackageHash, store })
  return { state: outcome.state, gate: `hash-${gatePackageHash}`, ...named, ...formatOutcome(outcome) }
}

/** What every command that sends something needs. */
interface Submission extends Disposable {
  submission: Pick<
    ClaimSettings,
    'rpc' | 'signer' | 'chainName' | 'isDryRun' | 'paymentMotes' | keyof TransactionTerms
  > & { onStep: (step: SendStep<Purpose>) => unknown }
  stateDir: string
}

/** Reads settings and key, and says from now on what it waits for. No node is called yet. @throws {SettingsError | KeyError} */
async function openSubmission(
  what: string,
  { isDryRun, environment, warn, progress }: SubmissionRequest,
): Promise<Submission> {
  const settings = readContractsSettings(environment, true, claimSettings)
  for (const message of similarNames(environment, Object.values(claimSettings))) warn(message)
  const { signer, warning } = await loadSigner(settings.keyPath, settings.account)
  if (warning !== null) warn(warning)
  const { chainName, callPaymentMotes: paymentMotes, transactionTtlMs, gasPriceTolerance } = settings
  const rpc = createContractsRpc(settings)
  const waiting = startWaiting({ rpc, say: warn })
  const onStep = reportProgress<Purpose>((event) => {
    waiting.note(event)
    progress(formatProgress(what, event))
  })
  const terms = { transactionTtlMs, gasPriceTolerance, onStep }
  const payment = paymentMotes === null ? {} : { paymentMotes }
  return {
    submission: { rpc, signer, chainName, isDryRun, ...terms, ...payment },
    stateDir: settings.stateDir,
    [Symbol.dispose]: () => waiting[Symbol.dispose](),
  }
}

function formatOutcome(outcome: ClaimOutcome | OwnerOutcome | OnlyRootOutcome): object {
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
    case 'executed':
      return 'removed' in outcome ? formatRemovals(outcome) : formatExecuted(outcome.executed)
    default:
      return {}
  }
}

const formatRemovals = ({ removed, executed }: OnlyRootOutcome & { state: 'executed' }) => ({
  removed_roots: removed.map(String),
  transactions: executed.map(({ transactionHash }) => transactionHash),
  charged_motes: executed.reduce((sum, { chargedMotes }) => sum + chargedMotes, 0n).toString(),
})

const formatExecuted = ({
  transactionHash,
  blockHeight,
  consumedMotes,
  chargedMotes,
}: ExecutedTransaction) => ({
  transaction_hash: transactionHash,
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})
